// Slices, lookups and updates of a few rows of a tensor with full rows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LAYOUT_FEWROWS_H
#define SYSTOLE_COMPILER_LAYOUT_FEWROWS_H

#include "mlir/IR/Builders.h"

namespace systole {

/// Whether `op`, a slice, lookup or update, can take the full rows that hold what it reads or
/// writes of its first operand, instead of all of it.
bool takesFewRows(mlir::Operation *op);

/// The result of `op`, which takes few rows of its first operand, whose tiled form is `tiled`: of
/// an update the tiled form, of all others the plain one.
mlir::Value takeFewRows(mlir::OpBuilder &b, mlir::Operation *op, mlir::Value tiled);

} // namespace systole

#endif // SYSTOLE_COMPILER_LAYOUT_FEWROWS_H
