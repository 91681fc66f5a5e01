// Integer operations on rank-0 tensors as arithmetic of the sequencer.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_SCALARARITHMETIC_H
#define SYSTOLE_COMPILER_PLANNING_SCALARARITHMETIC_H

#include "mlir/IR/Builders.h"

namespace systole {

/// How the sequencer holds an element: i1 as `i1`, all others as `i32`, narrower
/// ones extended by their signedness.
mlir::Type scalarTypeOf(mlir::Type element);

/// Whether `emitScalar` knows `op`, an operation on tensors.
bool hasScalarArithmetic(mlir::Operation *op);

/// The result of `op` on held scalars.
mlir::Value emitScalar(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

/// A rank-0 integer constant as it is held.
mlir::Value emitScalarConstant(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::DenseElementsAttr value);

/// Between the form that is held and the i32 that kernels and memory take, where i1 is 0 or 1.
mlir::Value toWord(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar);
mlir::Value fromWord(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value word,
                     mlir::Type element);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_SCALARARITHMETIC_H
