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

#include <functional>

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
                 Emitter &emitter, const StageOptions &options);
  /// `inits` are broadcast to all cells; none if nothing comes first.
  mlir::LogicalResult lower(const Values &inits);

private:
  using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)>;

  /// Emits all outputs of `trips` groups of eight along the sublanes, if these are outputs.
  void emitOutputs(const Values &inits, int64_t first, int64_t trips);
  /// Makes walkers of so many vectors of outputs.
  void startVectors(int64_t count);
  /// Emits `vectors` of outputs, with the accumulators of all in one loop: that of dimension `dim`
  /// at `index`, and the next ones at a distance of `step`.
  void emitTogether(const Values &inits, size_t dim, mlir::Value index, int64_t step,
                    int64_t vectors);
  /// Emits a vector of outputs for each walker.
  void emitVectors(const Values &inits);
  /// The results by walker. Each slot of a vector is a vector of its own.
  llvm::SmallVector<Values> accumulateSlots();
  /// The results in sublane 0, of which the slots are sublanes of one vector or of sixteen.
  Values accumulateVectors();
  /// The body's values for the dimensions that `walker` has bound.
  Values evaluate();
  /// Stores the outputs at the place of `walker`.
  void store(const Values &values);

  /// The lanes of a group of 128 that are elements; null if all are.
  mlir::Value validLanes(mlir::Value group);
  /// A mask of the first `count` cells of a vector, row by row.
  mlir::Value cellsBelow(int64_t count);
  /// Binds a dimension in all walkers from number `first` on, to indices at a distance of `step`.
  void bind(size_t dim, mlir::Value index, llvm::function_ref<void()> inside, int64_t step = 0,
            size_t first = 0);
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
  Emitter &e;
  Walker base;                               ///< of the loops around vectors of outputs
  llvm::SmallVector<Walker, 1> walkers;      ///< of the vectors of outputs that share a loop
  Walker *walker = &base;                    ///< of what is emitted
  std::function<mlir::Value(int64_t)> index; ///< that of `walker`, for the body
  Body body;
  Combiner combiner;
  mlir::Value diagonalIds;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_REDUCE_H
