// What kind of work a StableHLO operation is, for all passes that must agree.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_OPKINDS_H
#define SYSTOLE_COMPILER_GRAPH_OPKINDS_H

#include "dialects/StableHLO/StableHLO.h"

namespace systole {

enum class OpKind {
  Constant,    // constant
  Generator,   // iota
  Elementwise, // every result element from the operands' elements at its index
  Broadcast,   // broadcast_in_dim
  Reshape,     // reshape
  Movement,    // transpose, reverse, slice, pad, concatenate
  Indexed,     // dynamic_slice, dynamic_update_slice, gather, scatter in the form of Scatters.h
  Reduce,      // reduce
  Dot,         // dot_general
  Convolution, // convolution in a form of Convolutions.h
  Control,     // while, if, case
  Transfer,    // kernel.send, kernel.recv: effects, in the order in which they stand
  Other,       // terminators, and what no pass knows
};

OpKind kindOf(mlir::Operation *op);

/// Control flow and transfers: they stay outside of kernels, in their order, and take what they
/// read from memory.
bool isSequenced(mlir::Operation *op);

/// A constant all of whose elements are equal.
bool isSplatConstant(mlir::Operation *op);

/// Work so little that each reader has its own copy of it: splat constants, iota and
/// broadcasts. Null for none.
bool isRepeated(mlir::Operation *op);

/// Appends `op` behind those of its producers of which its kernel has copies.
void appendWithRepeated(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Operation *> &ops);

/// Operands that are positions: they must be known to the scalar unit before
/// the operation starts. Empty for most operations.
mlir::OperandRange indexOperands(mlir::Operation *op);

/// Whether `operand` is a position of its operation.
bool isIndexOperand(mlir::OpOperand &operand);

/// A contraction (in canonical form) so deep that it is summed in chunks.
bool isDeep(stablehlo::DotGeneralOp op);

/// What a contraction says of either operand, for exchanged ones; null for null.
mlir::ArrayAttr exchanged(mlir::ArrayAttr precisionConfig);
stablehlo::DotAlgorithmAttr exchanged(stablehlo::DotAlgorithmAttr algorithm);

/// A reshape that only adds or drops dimensions of size 1.
bool isUnitReshape(stablehlo::ReshapeOp op);

/// A unit reshape after which the elements that lie along the lanes still do:
/// the result can be read at the operand's places.
bool isLaneKeepingReshape(stablehlo::ReshapeOp op);

/// A reshape that leaves every element in its row and lane: the last dimension
/// and the number of rows are the same.
bool isRowView(mlir::RankedTensorType from, mlir::RankedTensorType to);

} // namespace systole

#endif // SYSTOLE_COMPILER_GRAPH_OPKINDS_H
