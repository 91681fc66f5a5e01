// Rewrites one operation to its operands and results as they lie.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LAYOUT_REMAP_H
#define SYSTOLE_COMPILER_LAYOUT_REMAP_H

#include "compiler/Layout/OperandOrders.h"

namespace systole {

/// Gives `op` the types and the numbers of dimensions that `orders` says. Its operands
/// are already in the order in which it reads them; `operandTypes` are their types as the
/// program was written.
void remap(mlir::Operation *op, const OperandOrders &orders,
           llvm::ArrayRef<mlir::RankedTensorType> operandTypes);

} // namespace systole

#endif // SYSTOLE_COMPILER_LAYOUT_REMAP_H
