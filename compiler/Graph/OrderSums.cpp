// Sets the order of every reduction from its shape.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/SumOrder.h"
#include "compiler/Graph/TensorLevel.h"
#include "compiler/Graph/TensorTypes.h"
#include "dialects/Layout/EntryLayout.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_ORDERSUMS
#include "compiler/Graph/Passes.h.inc"

namespace {

struct OrderSums : impl::OrderSumsBase<OrderSums> {
  void runOnOperation() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    getOperation().walk([](stablehlo::ReduceOp op) {
      // One that the program states stays.
      if (op->hasAttr(kernel::kOrderAttr))
        return;
      ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
      std::vector<int64_t> layout = entryOrder({shape.data(), shape.size()});
      std::reverse(layout.begin(), layout.end());
      if (!layout.empty())
        op->setAttr(kernel::kOrderAttr, orderIn(op, layout));
    });
  }
};

} // namespace
} // namespace systole
