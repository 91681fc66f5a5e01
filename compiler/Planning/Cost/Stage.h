// The stages of a kernel as the estimate sees them: shapes, maps and counts of instructions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_COST_STAGE_H
#define SYSTOLE_COMPILER_PLANNING_COST_STAGE_H

#include "compiler/Model/DotShape.h"
#include "compiler/Model/LoopNest.h"
#include "compiler/Model/OpCosts.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/Types.h"

namespace systole {

/// A buffer of VMEM: row-linear, as `kernel.buffer`.
struct VmemBlock {
  llvm::SmallVector<int64_t, 4> shape;
  mlir::Type element;

  VmemBlock() = default;
  VmemBlock(llvm::ArrayRef<int64_t> shape, mlir::Type element)
      : shape(shape.begin(), shape.end()), element(element) {}
  int64_t lanes() const { return shape.empty() ? 1 : shape.back(); }
  /// Groups of 128 lanes in one row.
  int64_t tiles() const { return llvm::divideCeil(lanes(), kLanes); }
  /// Logical rows between neighbours along dimension `dim`, which is not the last.
  int64_t pitch(size_t dim) const;
  /// Padding included, without that behind the last row.
  int64_t logicalRows() const;
  /// Whether the rows of both lie at the same places.
  bool hasRowsOf(const VmemBlock &other) const;
  /// Whether a reshape of one into the other moves nothing.
  bool isViewOf(const VmemBlock &other) const;
  bool isPredicate() const { return element.isInteger(1); }
};

/// Where a stage reads a buffer: for each of its dimensions, a dimension of the stage's space with
/// a factor, or none.
struct BlockIndex {
  int64_t dim = -1, factor = 1;
};
struct StageInput {
  VmemBlock block;
  llvm::SmallVector<BlockIndex, 4> indices;
  /// The buffer is one of two halves, so that each access adds its base.
  bool hasHalves = false;
  /// Each element is in all lanes of a row of its own.
  bool isReplicated = false;
};

/// `kernel.map`.
struct MapStage {
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<StageInput, 4> inputs;
  llvm::SmallVector<mlir::Type, 2> outputs;
  OpCost body;
  /// Dimensions whose index the body reads.
  llvm::SmallVector<int64_t, 2> pinned;
  int64_t outputHalves = 0; ///< outputs that are one of two halves
};

/// `kernel.reduce`: the values that a map would store are combined over `dims`.
struct ReduceStage : MapStage {
  llvm::SmallVector<int64_t, 4> dims;
  int64_t partials = 8;
  bool hasInits = true;
  OpCost combiner;
  /// The cross-lane unit combines lanes.
  bool hasUnit = false;
};

/// `kernel.copy` within VMEM: iterations, and cells by which both sides advance. A row of a buffer
/// is 128 cells.
struct CopyLoop {
  int64_t size, src, dst;
};
struct CopyStage {
  llvm::SmallVector<CopyLoop, 6> loops;
  int64_t srcLane = 0, dstLane = 0;   ///< of the first element
  int64_t srcLanes = 0, dstLanes = 0; ///< extents of the buffers along the lanes
  bool lanesKnown = true;             ///< at compile time
  int64_t packing = 1;                ///< elements that have the width of a cell
};

/// `kernel.dot` and `kernel.contract`.
struct ProductStage {
  DotShape shape;
  mlir::Type lhs, rhs;
  int64_t lhsRows = 0, rhsRows = 0, outRows = 0; ///< logical rows of the buffers
  int passes = 1;                                ///< of f32
  bool accumulates = false, rounds = false;
  /// Of VMEM beside the blocks, for the parts of operands and the sums of a pass.
  int64_t freeBytes = INT64_MAX;
};

/// The cost of a stage on a core: cycles, and the work of each unit in them.
struct StageCost {
  double cycles = 0;
  Work work;
  bool hasLoops = true; ///< else it is straight-line code

  StageCost &operator+=(const StageCost &other) {
    cycles += other.cycles;
    work += other.work;
    hasLoops |= other.hasLoops;
    return *this;
  }
  StageCost operator*(double times) const { return {cycles * times, work * times, hasLoops}; }
};

StageCost costOf(const MapStage &stage, const MachineModel &model);
StageCost costOf(const ReduceStage &stage, const MachineModel &model);
/// Results of a reduction that are accumulated in one loop (ReduceLoops::resultsAtOnce).
int64_t resultsAtOnce(const ReduceStage &stage);
StageCost costOf(const CopyStage &stage, const MachineModel &model);
StageCost costOf(const ProductStage &stage, const MachineModel &model);
/// Of sorting blocks of the arrays, and of looking up `result` in `table` (SortCost.cpp,
/// LookupCost.cpp).
StageCost costOf(kernel::ColumnSortOp op, const VmemBlock &block, const MachineModel &model);
StageCost costOf(kernel::LookupOp op, const VmemBlock &table, const VmemBlock &result,
                 const MachineModel &model);

/// How a stage reads a buffer, in logical rows.
RowAccess accessOf(const StageInput &input, llvm::ArrayRef<int64_t> sizes);
/// As in codegen (compiler/Codegen/Access.h): outputs, whose accesses follow those of the inputs,
/// have `outputRows`.
bool paddingTakesLastGroup(llvm::ArrayRef<LoopDim> dims, size_t sublaneDim,
                           llvm::ArrayRef<RowAccess> accesses, llvm::ArrayRef<StageInput> inputs,
                           int64_t outputRows);
/// One evaluation of a body, without its loads and stores.
Work workOf(const OpCost &cost, const MachineModel &model);
/// Loading an input as a vector of values, or storing an output.
Work loadOf(const StageInput &input, const RowAccess &access, bool gathers,
            const MachineModel &model);
Work storeOf(mlir::Type element, const MachineModel &model);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_COST_STAGE_H
