// Copies constants into the reducers that use them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/ClosedBodies.h"
#include "compiler/Tensor/OpKinds.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_CLOSEBODIES
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;

/// Whether the operation's regions are reducers or comparators rather than control flow.
bool hasBodies(Operation *op) {
  return isa<StableHLODialect>(op->getDialect()) && op->getNumRegions() > 0 &&
         kindOf(op) != OpKind::Control;
}

struct CloseBodies : impl::CloseBodiesBase<CloseBodies> {
  void rewrite() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (hasBodies(op))
        for (Region &region : op->getRegions())
          if (failed(closeBody(region)))
            return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
