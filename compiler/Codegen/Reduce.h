// The components of kernel.reduce's lowering.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_REDUCE_H
#define SYSTOLE_COMPILER_CODEGEN_REDUCE_H

#include "compiler/Codegen/Access.h"
#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/Combiner.h"

namespace systole::codegen {

/// How a reduction is mapped to loops and sublanes. Every choice keeps the order of combination
/// that kernel.reduce specifies: partial results by reduced row modulo 8 (here "slots") and by
/// lane, rows ascending and in each row groups of lanes ascending; then slots by distance, then
/// lanes by distance.
struct ReducePlan {
  llvm::SmallVector<Access> accesses; // inputs, then outputs
  llvm::SmallVector<LoopDim> dims;
  llvm::SmallVector<size_t> kept; // dimensions of the outputs
  llvm::SmallVector<size_t> rows; // reduced dimensions except for groups of lanes
  std::optional<size_t> groups;   // groups of lanes, if lanes are reduced
  bool reducesLanes = false;
  /// Only groups of lanes are reduced: they take the role of rows.
  bool groupsAreRows = false;
  int64_t laneCount = 1;

  enum class Sublanes {
    kept,   // eight outputs at once; each slot is a vector
    rows,   // the slots are the sublanes
    single, // one output; each slot is a vector of which one sublane is used
  };
  Sublanes sublanes = Sublanes::kept;
  size_t sublaneDim = 0;

  int64_t rowCount() const;
  int64_t groupCount() const;
};

ReducePlan planReduce(kernel::ReduceOp op, llvm::ArrayRef<BufferRef> inputs,
                      llvm::ArrayRef<BufferRef> outputs);
void chooseSublanes(ReducePlan &plan);

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
