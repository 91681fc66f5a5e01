// Expansions of CHLO operations, one group of operations per file.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_CHLO_EXPANSIONS_H
#define SYSTOLE_COMPILER_LEGALIZE_CHLO_EXPANSIONS_H

#include "compiler/Legalize/Chlo/Real.h"
#include "dialects/CHLO/CHLO.h"

namespace systole::expansion {

// Functions of f32, within a few units in the last place of the exact value; test/e2e/test_chlo.py
// lists the errors. Denormals are flushed to zero. Those without coefficients, zeta and polygamma
// are functions of f64, too.
Real acos(Real x);
Real acosh(Real x);
Real asin(Real x);
Real asinh(Real x);
Real atan(Real x);
Real atanh(Real x);
Real besselI1e(Real x);
Real cosh(Real x);
Real digamma(Real x);
Real erf(Real x);
Real erfInv(Real x);
Real erfc(Real x);
Real lgamma(Real x);
Real sinh(Real x);
/// The derivative of order `n` of digamma; for `x` below -9 it is inaccurate, as zeta is.
Real polygamma(Real n, Real x);
/// The sum of (q + k)^-s over k; inaccurate for `q` below -9.
Real zeta(Real s, Real q);

/// On bit patterns of any supported element type.
mlir::Value expandNextAfter(mlir::OpBuilder &b, chlo::NextAfterOp op);
mlir::Value expandMulhi(mlir::OpBuilder &b, chlo::MulhiOp op);

/// A stable sort, cut off after k elements: values and indices.
llvm::SmallVector<mlir::Value> expandTopK(chlo::TopKOp op);

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_LEGALIZE_CHLO_EXPANSIONS_H
