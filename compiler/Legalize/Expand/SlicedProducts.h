// Products of f64 on the matrix unit, as products of slices of seven bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_EXPAND_SLICEDPRODUCTS_H
#define SYSTOLE_COMPILER_LEGALIZE_EXPAND_SLICEDPRODUCTS_H

#include "compiler/Tensor/Tensors.h"

namespace systole::expansion {

/// Whether a product of [depth, batch, m] and [depth, batch, n] is large enough for slices.
bool isForSlices(mlir::Value lhs, mlir::Value rhs);

/// Their product, [batch, m, n]. Vectors along the depth become integers with the exponent of
/// their largest element, of which the matrix unit multiplies slices exactly. Where these may leave
/// out more than rounding does, or numbers are not finite, the product is `otherwise`.
mlir::Value multiplySlices(Tensors &t, mlir::Value lhs, mlir::Value rhs,
                           llvm::function_ref<mlir::Value()> otherwise);

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_LEGALIZE_EXPAND_SLICEDPRODUCTS_H
