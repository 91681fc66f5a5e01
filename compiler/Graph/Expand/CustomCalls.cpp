// Expands custom calls of known targets.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Graph/Expand/Expand.h"
#include "compiler/Graph/Passes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDCUSTOMCALLS
#include "compiler/Graph/Passes.h.inc"

namespace {

using stablehlo::CustomCallOp;
using Expansion = SmallVector<Value> (*)(CustomCallOp);

Expansion expansionOf(CustomCallOp op) {
  return llvm::StringSwitch<Expansion>(op.getCallTargetName())
      .Case("Qr", expansion::expandQr)
      .Case("LuDecomposition", expansion::expandLuDecomposition)
      .Case("ProductOfElementaryHouseholderReflectors", expansion::expandReflectors)
      .Cases({"ResizeBilinear", "ResizeBilinearGrad"}, expansion::expandResize)
      .Cases({"ResizeNearest", "ResizeNearestGrad"}, expansion::expandResize)
      .Default(nullptr);
}

struct ExpandCustomCalls : impl::ExpandCustomCallsBase<ExpandCustomCalls> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](CustomCallOp op) {
      Expansion expand = expansionOf(op);
      SmallVector<Value> results = expand ? expand(op) : SmallVector<Value>();
      if (results.empty()) {
        emitUnsupported(op);
        return WalkResult::interrupt();
      }
      op.replaceAllUsesWith(results);
      op.erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
