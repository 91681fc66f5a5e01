// Makes barriers other names of the arrays that pass them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Tensor/TensorLevel.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_RESOLVEBARRIERS
#include "compiler/Fusion/Passes.h.inc"

namespace {

using stablehlo::OptimizationBarrierOp;

struct ResolveBarriers : impl::ResolveBarriersBase<ResolveBarriers> {
  void rewrite() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    getOperation()->walk([](OptimizationBarrierOp op) {
      OpBuilder b(op);
      for (auto [operand, result] : llvm::zip_equal(op.getOperands(), op.getResults()))
        if (!result.use_empty())
          result.replaceAllUsesWith(
              kernel::ReinterpretOp::create(b, op.getLoc(), result.getType(), operand));
      op.erase();
    });
  }
};

} // namespace
} // namespace systole
