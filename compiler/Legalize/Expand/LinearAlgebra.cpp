// Expands cholesky and triangular_solve.
// See docs/decisions/factorizations-and-transforms.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDLINEARALGEBRA
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace stablehlo;

/// Whether the shapes are static and f32 or f64 represents all elements.
bool isSupported(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    Type element = tensor.getElementType();
    return tensor.hasStaticShape() &&
           (element.isF64() || element.isF32() || element.isBF16() || element.isF16());
  });
}

struct ExpandLinearAlgebra : impl::ExpandLinearAlgebraBase<ExpandLinearAlgebra> {
  void rewrite() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (!isa<CholeskyOp, TriangularSolveOp>(op))
        return WalkResult::advance();
      if (!isSupported(op))
        return WalkResult(emitUnsupported(op));
      Value value =
          llvm::TypeSwitch<Operation *, Value>(op)
              .Case([](CholeskyOp op) { return expansion::expandCholesky(op); })
              .Case([](TriangularSolveOp op) { return expansion::expandTriangularSolve(op); });
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
