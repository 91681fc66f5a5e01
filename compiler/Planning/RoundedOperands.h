// Operands of products that are rounded to bf16.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_ROUNDEDOPERANDS_H
#define SYSTOLE_COMPILER_PLANNING_ROUNDEDOPERANDS_H

#include "mlir/IR/Operation.h"

namespace systole {

/// Whether `op` only rounds an operand of a product that takes one pass: the MXUs do the same to
/// elements of f32, so that the product reads the operand of `op` and no stage rounds it. `leaves`:
/// the kernel writes the rounded elements.
bool isRoundedByProduct(mlir::Operation *op, bool leaves);

/// What a product in a kernel reads for `operand`: the operand itself, or what it was before it is
/// rounded. `leaves` says whether the kernel writes the result of an operation.
mlir::OpOperand &productSource(mlir::OpOperand &operand,
                               llvm::function_ref<bool(mlir::Operation *)> leaves);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_ROUNDEDOPERANDS_H
