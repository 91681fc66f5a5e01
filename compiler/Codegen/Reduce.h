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

/// A reduction with some results of another one, in front of it.
struct ReducePart {
  kernel::ReduceOp op;
  llvm::SmallVector<size_t> inputs; ///< those of the other one that it reads
};
/// The part of `op`, whose combiner treats its values apart, that computes some of its results.
ReducePart partOf(kernel::ReduceOp op, llvm::ArrayRef<size_t> results);

class ReduceLowering {
public:
  ReduceLowering(kernel::ReduceOp op, llvm::ArrayRef<BufferRef> outputs, const ReducePlan &plan,
                 Walker &walker, Body &body);
  /// `inits` are broadcast to all cells; none if nothing comes first.
  mlir::LogicalResult lower(const Values &inits);

private:
  using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)>;

  /// Emits all outputs of `trips` groups of eight along the sublanes, if these are outputs.
  void emitOutputs(const Values &inits, int64_t first, int64_t trips);
  /// The results of one vector, of which each slot is a vector of its own.
  Values accumulateSlots();
  /// The results in sublane 0, of which the slots are sublanes of one vector or of sixteen.
  Values accumulateVectors();
  /// The body's values for the bound dimensions.
  Values evaluate();
  void store(const Values &values);

  /// The lanes of a group of 128 that are elements; null if all are.
  mlir::Value validLanes(mlir::Value group);
  /// A mask of the first `count` cells of a vector, row by row.
  mlir::Value cellsBelow(int64_t count);
  /// Binds the reduced dimensions to element number `number`, the first `dimCount` of them.
  void bindElement(mlir::Value number, size_t dimCount, llvm::function_ref<void()> inside);
  /// Binds them to eight elements along the sublanes.
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
