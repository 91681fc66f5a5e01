// Splits complex numbers into their real and imaginary parts.
// See docs/decisions/complex.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Complex/Splitter.h"
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Passes.h"
#include "compiler/Legalize/Planes/Entry.h"
#include "compiler/Legalize/Planes/SeparateReducers.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPLITCOMPLEX
#include "compiler/Legalize/Passes.h.inc"

namespace {

using complex::isComplex;

bool hasComplex(Operation *op) {
  auto test = [](Type type) { return isComplex(type); };
  return llvm::any_of(op->getOperandTypes(), test) || llvm::any_of(op->getResultTypes(), test);
}

/// Replaces maps by elementwise operations.
LogicalResult expandMaps(ModuleOp module) {
  SmallVector<stablehlo::MapOp> maps;
  module.walk([&](stablehlo::MapOp map) {
    if (hasComplex(map))
      maps.push_back(map);
  });
  for (stablehlo::MapOp map : maps) {
    Value result = expansion::expandMap(map);
    if (!result)
      return failure();
    map.getResult().replaceAllUsesWith(result);
    map.erase();
  }
  return success();
}

struct SplitComplex : impl::SplitComplexBase<SplitComplex> {
  void rewrite() override {
    if (!planes::hasWide(getOperation(), [](Type type) { return isComplex(type); }))
      return;
    if (failed(expandMaps(getOperation())))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      complex::Splitter splitter;
      if (failed(planes::splitEntry(function, splitter)))
        return signalPassFailure();
    }
    planes::separateReducers(getOperation());
    // Formulas that share parts, of which some are not needed.
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createCSEPass());
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
