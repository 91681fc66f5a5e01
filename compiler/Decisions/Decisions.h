// What the planner and fusion decided about each kernel, for reports.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_DECISIONS_DECISIONS_H
#define SYSTOLE_COMPILER_DECISIONS_DECISIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace systole {

/// One axis of a grid: a dimension of one value of the kernel, from which the tiles of all others
/// follow.
struct AxisDecision {
  std::string value; ///< "operand", or the operation that computes it: "dot_general"
  std::string type;  ///< "f32[2048,512]"
  int64_t dim = 0, size = 0, tile = 0;

  bool operator==(const AxisDecision &) const = default;
};

struct PlanDecision {
  std::vector<AxisDecision> axes; ///< the outermost first; none for one step
  int64_t steps = 1;
  std::vector<std::string> kept; ///< types of the operands and results that VMEM keeps
  /// Estimated, with the copies of loop-carried values that the kernel cannot write in place.
  double cycles = 0;
};

/// Bytes of the blocks of a kernel, and how many of them are padding of the layouts. Windows at
/// computed positions are not among them.
struct PaddingCost {
  int64_t movedBytes = 0, movedPadding = 0; ///< between HBM and VMEM, in one call
  int64_t blockBytes = 0, blockPadding = 0; ///< of VMEM, second buffers included
};

/// A kernel that reads a result of another, and why they are two.
struct ReaderDecision {
  size_t reader = 0;  ///< its number among the decisions
  std::string reason; ///< why one kernel is not possible; "" if its estimate decided
  /// Estimated cycles; 0 where one kernel is not possible.
  double oneKernel = 0, twoKernels = 0;
};

struct KernelDecision {
  int64_t step = 0; ///< of its call, as in the program's header; 0 if it has none
  PlanDecision plan;
  std::vector<PlanDecision> alternatives; ///< that lost, the fastest first
  std::vector<ReaderDecision> readers;
  PaddingCost padding;
};

/// Of all kernels that were fusions, in program order.
using Decisions = std::vector<KernelDecision>;

} // namespace systole

#endif // SYSTOLE_COMPILER_DECISIONS_DECISIONS_H
