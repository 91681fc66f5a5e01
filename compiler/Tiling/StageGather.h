// Row gathers as loops over positions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_STAGEGATHER_H
#define SYSTOLE_COMPILER_TILING_STAGEGATHER_H

#include "compiler/Tiling/StageBuilder.h"

namespace systole {

/// Emits one gather: a copy for each position of the present block. Many indices come to SMEM in
/// chunks; windows of an operand in HBM are under way together.
class StageBuilder::Gather {
public:
  Gather(StageBuilder &stages, stablehlo::GatherOp op);
  void emit();

private:
  /// Gets the position's indices within the block, and where its slice starts.
  using Body = llvm::function_ref<void(mlir::ValueRange counters, mlir::ValueRange offsets)>;

  void forEachPosition(bool overlap, Body body);
  /// Enters a loop of `count` iterations; its index.
  Value emitLoop(Value count);
  /// The number among all positions along `dim` of an index within the block.
  Value numberOf(size_t dim, Value index);
  llvm::SmallVector<Value> offsetsAt(mlir::ValueRange counters, mlir::ValueRange places,
                                     Value indices);
  llvm::SmallVector<Value> resultOffsets(mlir::ValueRange counters);
  void emitThroughBoxes(const CopyWindow &window, Value source, Value target);

  Value constant(int64_t value) { return stages.constantIndex(loc, value); }
  Value add(Value x, Value y);
  Value least(Value x, Value y);

  StageBuilder &stages;
  mlir::OpBuilder &b;
  mlir::Location loc;
  stablehlo::GatherOp op;
  llvm::SmallVector<int64_t> operandShape, resultShape, indexShape;
  /// Dimensions of the result that enumerate positions and, in the same order, of the indices.
  llvm::SmallVector<int64_t> batchDims, positionDims;
  /// The extents of the block along `positionDims`; the number of its first position.
  llvm::SmallVector<int64_t> extents;
  Value begin;
  /// From an index of the slice to the operand's and to the result's.
  llvm::SmallVector<int64_t> sizes;
  mlir::AffineMap srcMap, dstMap;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_STAGEGATHER_H
