// Orders the kernels of a program so that few arrays are live at a time.
// See docs/decisions/hbm-planning.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/BlockMemory.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_ORDERKERNELS
#include "compiler/Fusion/Passes.h.inc"

namespace {

struct OrderKernels : impl::OrderKernelsBase<OrderKernels> {
  void rewrite() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    forEachFunction(getOperation(), [&](func::FuncOp function) {
      for (Block &block : function.getBody())
        order(block);
    });
  }

  /// Inner blocks first: what they take counts outside.
  static void order(Block &block) {
    for (Operation &op : block)
      if (kindOf(&op) == OpKind::Control)
        for (Region &region : op.getRegions())
          order(region.front());
    BlockMemory memory(block);
    memory.apply(memory.bestOrder());
  }
};

} // namespace
} // namespace systole
