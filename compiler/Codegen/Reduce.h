// The parts of kernel.reduce's lowering.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_REDUCE_H
#define SYSTOLE_COMPILER_CODEGEN_REDUCE_H

#include "compiler/Codegen/Access.h"
#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/Combiner.h"

namespace systole::codegen {

/// How a reduction lies over loops and sublanes. Whatever is chosen, the order of
/// combination is that of kernel.reduce's description: partial results by reduced
/// row modulo 8 (here "slots") and by lane, rows ascending and in each row groups
/// of lanes ascending, then slots by distances, then lanes by distances.
struct ReducePlan {
  llvm::SmallVector<Access> accesses; // inputs, then outputs
  llvm::SmallVector<LoopDim> dims;
  llvm::SmallVector<size_t> kept; // dimensions of the outputs
  llvm::SmallVector<size_t> rows; // reduced ones, but for groups of lanes
  std::optional<size_t> groups;   // groups of lanes, when lanes are reduced
  bool reducesLanes = false;
  /// All there is are groups of lanes: they are the rows.
  bool groupsAreRows = false;
  int64_t laneCount = 1;

  enum class Sublanes {
    kept,   // eight outputs at once; each slot is a vector of its own
    rows,   // the slots are the sublanes
    single, // one output, each slot a vector of which one sublane counts
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
  /// `inits` stand in all cells.
  mlir::LogicalResult lower(const Values &inits);

private:
  using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)>;

  /// All outputs of `trips` groups of eight along the sublanes, if outputs are there.
  void emitOutputs(const Values &inits, int64_t first, int64_t trips);
  Values accumulateSlots();
  Values accumulateVectors();
  /// The body's values for what is bound.
  Values evaluate();
  void store(const Values &values);

  mlir::Value validLanes(mlir::Value group);
  /// The first `count` cells of a vector, row by row.
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
