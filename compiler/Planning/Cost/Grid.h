// The cost of a kernel's grid: blocks that are copied while others are worked on.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_COST_GRID_H
#define SYSTOLE_COMPILER_PLANNING_COST_GRID_H

#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/Cost/BlockTransfer.h"
#include "compiler/Planning/Cost/Pieces.h"

#include <array>

namespace systole {

/// An operand of a kernel that is copied block by block.
struct GridOperand {
  BlockTransfer transfer;
  bool reads = false, writes = false;
  bool hasHalves = false; ///< VMEM has two blocks of it
  uint32_t axes = 0;      ///< of the grid along which its blocks change, one bit each
  /// By axis, of which it has no more than this, the part of a block that the last one is where the
  /// array ends in it.
  std::array<double, 4> lastShare{1, 1, 1, 1};
  size_t firstUse = 0, lastUse = 0; ///< stages
  /// In which it arrives, and which its first stage works on in the first step.
  Pieces pieces;
};

/// Cycles in which the sequencer starts a copy.
double startCycles(const MachineModel &model);

/// How the blocks of an operand are copied, and along which axes they change; not who reads or
/// writes them.
GridOperand gridOperandOf(const OperandBlocks &operand, const Blocking &blocking);

/// The kernel's steps: extents of the grid, the innermost last, and the stages of each step.
struct GridCost {
  double cycles = 0;
  double channel = 0; ///< cycles of HBM's channel
  double steps = 0;   ///< cycles of the stages of all steps
};
GridCost costOf(llvm::ArrayRef<int64_t> grid, llvm::ArrayRef<GridOperand> operands,
                llvm::ArrayRef<double> stages, bool copiesInStages, const MachineModel &model);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_COST_GRID_H
