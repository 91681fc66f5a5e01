// Classification of StableHLO operations, shared by all passes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_OPKINDS_H
#define SYSTOLE_COMPILER_TENSOR_OPKINDS_H

#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// The kind of an operation; `Other` of scatters and convolutions that are not in canonical form
/// (Scatters.h, Convolutions.h).
OpKind kindOf(mlir::Operation *op);

/// Control flow and transfers: they are not fused, keep their order, and read operands from
/// memory.
bool isSequenced(mlir::Operation *op);

/// Whether `op` is a splat constant.
bool isSplatConstant(mlir::Operation *op);

/// Cheap operations that are rematerialized in the kernel of each user: splat constants, iota and
/// broadcasts. `op` may be null.
bool isRematerializable(mlir::Operation *op);

/// Appends `op`, preceded by its rematerializable producers.
void appendWithRematerialized(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Operation *> &ops);

/// Whether a kernel computes the value of `op` where it is read, instead of in a buffer of its own.
bool isExpression(mlir::Operation *op);

/// Marks elementwise work on one element for each row, which all lanes of the row have, and whether
/// it is marked: a stage of its own does it once for all stages that read it, as it would on
/// tensors of one element for each row.
void markPerRow(mlir::Operation *op);
bool isPerRow(mlir::Operation *op);

/// Start indices, which the scalar unit must know before the operation starts. Empty for most
/// operations.
mlir::OperandRange indexOperands(mlir::Operation *op);

/// Whether `operand` is a start index of its operation.
bool isIndexOperand(mlir::OpOperand &operand);

/// Whether a contraction (in canonical form) is so deep that it is summed in chunks.
bool isDeep(stablehlo::DotGeneralOp op);

/// The precision config for exchanged operands; null for null.
mlir::ArrayAttr exchanged(mlir::ArrayAttr precisionConfig);
stablehlo::DotAlgorithmAttr exchanged(stablehlo::DotAlgorithmAttr algorithm);

/// Whether a reshape only adds or drops dimensions of size 1.
bool isUnitReshape(stablehlo::ReshapeOp op);

/// Whether a unit reshape keeps the dimension along the lanes: the result can be read at the
/// operand's addresses.
bool isLaneKeepingReshape(stablehlo::ReshapeOp op);

/// Whether a reshape keeps every element in its row and lane: the last dimension and the number of
/// rows are unchanged.
bool isRowView(mlir::RankedTensorType from, mlir::RankedTensorType to);

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_OPKINDS_H
