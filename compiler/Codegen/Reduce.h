// The components of kernel.reduce's lowering.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_REDUCE_H
#define SYSTOLE_COMPILER_CODEGEN_REDUCE_H

#include "compiler/Codegen/Access.h"
#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/Combiner.h"
#include "compiler/Model/ReduceLoops.h"

namespace systole::codegen {

/// The loops of a reduction, and what they access.
struct ReducePlan : ReduceLoops {
  llvm::SmallVector<Access> accesses; // inputs, then outputs
};

ReducePlan planReduce(kernel::ReduceOp op, llvm::ArrayRef<BufferRef> inputs,
                      llvm::ArrayRef<BufferRef> outputs);

class ReduceLowering {
public:
  ReduceLowering(kernel::ReduceOp op, llvm::ArrayRef<BufferRef> outputs, const ReducePlan &plan,
                 Walker &walker, Body &body);
  /// `inits` are broadcast to all cells.
  mlir::LogicalResult lower(const Values &inits);

private:
  using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)>;

  /// Emits all outputs of `trips` groups of eight along the sublanes, if these are outputs.
  void emitOutputs(const Values &inits, int64_t first, int64_t trips);
  Values accumulateSlots();
  Values accumulateVectors();
  /// The body's values for the bound dimensions.
  Values evaluate();
  void store(const Values &values);

  mlir::Value validLanes(mlir::Value group);
  /// A mask of the first `count` cells of a vector, row by row.
  mlir::Value cellsBelow(int64_t count);
  void bindGroup(mlir::Value group, llvm::function_ref<void()> inside);
  /// Binds the reduced dimensions to row number `row`.
  void bindRow(mlir::Value row, size_t dimCount, llvm::function_ref<void()> inside);
  void bindVector(mlir::Value vector, llvm::function_ref<void()> inside);
  llvm::SmallVector<mlir::Value> steps(int64_t from, int64_t to, bool unrolled,
                                       mlir::ValueRange inits, Step step);
  mlir::Value lanesMinusSublanes();

  kernel::ReduceOp op;
  llvm::ArrayRef<BufferRef> outputs;
  const ReducePlan &plan;
  Walker &walker;
  Body &body;
  Emitter &e;
  Combiner combiner;
  mlir::Value diagonalIds;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_REDUCE_H
