// One element for each row of a tensor whose rows lie side by side.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LAYOUT_ROWPIECES_H
#define SYSTOLE_COMPILER_LAYOUT_ROWPIECES_H

#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// The elements of a tensor with one for each row, such as the sums of rows: those of the first
/// position in each tiled row, those of the second, ...
using Pieces = llvm::SmallVector<mlir::Value, 4>;

/// The type of a piece: its last dimension that is not of size 1 counts tiled rows.
mlir::RankedTensorType pieceType(mlir::RankedTensorType type, int64_t positions);

/// A tensor as its pieces, and the other way round.
Pieces splitRows(mlir::OpBuilder &b, mlir::Value value, int64_t positions);
mlir::Value joinRows(mlir::OpBuilder &b, const Pieces &pieces, mlir::RankedTensorType type);

/// Whether `op` reduces the elements of each row and can leave those of other positions out.
bool reducesRows(stablehlo::ReduceOp op);

/// The pieces of the result of such a reduction, whose operand is `tiled`.
Pieces reduceRows(mlir::OpBuilder &b, stablehlo::ReduceOp op, mlir::Value tiled);

/// The type of a tensor with one element for each row that is spread over the lanes of this row:
/// [.., rows / positions, 128].
mlir::RankedTensorType spreadType(mlir::RankedTensorType type, int64_t positions);

/// The spread form of a tensor of type `type`, of its pieces.
mlir::Value spreadRows(mlir::OpBuilder &b, const Pieces &pieces, mlir::RankedTensorType type);

/// The tiled result, of type `type`, of a broadcast of a tensor along the elements of each row, of
/// the tensor's spread form.
mlir::Value broadcastRows(mlir::OpBuilder &b, stablehlo::BroadcastInDimOp op, mlir::Value spread,
                          mlir::RankedTensorType type);

/// Whether `op` only adds, drops or moves dimensions of size 1.
bool movesUnits(mlir::Operation *op);

/// Whether `value`, with one element for each row, is broadcast along rows, or what follows from
/// it by elementwise work is.
bool isBroadcastAlongRows(mlir::Value value);

} // namespace systole

#endif // SYSTOLE_COMPILER_LAYOUT_ROWPIECES_H
