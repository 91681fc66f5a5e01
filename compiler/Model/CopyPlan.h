// How copies within VMEM become vectors: along lanes, or by transposition.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_COPYPLAN_H
#define SYSTOLE_COMPILER_MODEL_COPYPLAN_H

#include "compiler/Model/CopyDims.h"

#include <optional>

namespace systole {

/// Where a copy begins in a buffer: rows and lanes, to which others are added at run time if the
/// lane is not known.
struct LanePlace {
  int64_t row = 0, lane = 0;
  bool known = true;

  /// `count` steps of `step` lanes further.
  LanePlace moved(int64_t step, int64_t count) const;
};

/// A copy: its dimensions, and where it begins on both sides.
struct MoveBox {
  llvm::SmallVector<CopyDim, 6> dims;
  LanePlace src, dst;
};

/// A part of a copy: the dimensions of the box along the lanes and along the sublanes of a vector
/// register, -1 for none; the others are loops.
struct LanePart {
  MoveBox box;
  int lane = -1, sublane = -1;
  double cost = 0; // estimated cycles
};

/// The cheapest parts that together make up `box`. There is always a solution: without a dimension
/// along the lanes elements are copied one by one.
struct LanePlan {
  llvm::SmallVector<LanePart, 3> parts;
  double cost = 0;
};
LanePlan planLanes(const MoveBox &box);

/// The dimensions of `box` that a transposition exchanges; -1 for a single lane.
struct TransposePlan {
  int srcLane = -1; // one lane per step in the source, rows in the destination
  int dstLane = -1; // one lane per step in the destination, rows in the source
  double cost = 0;  // estimated cycles
};
/// `packing` elements have the width of a cell of 32 bits.
std::optional<TransposePlan> planTranspose(const MoveBox &box, int64_t packing);

/// The loop, of those over blocks of a transposition, of which consecutive iterations pass through
/// the cross-lane unit together, `packing` at a time, each in a part of every cell; -1 for none.
int sharedLoop(llvm::ArrayRef<CopyDim> loops, int64_t packing);
/// The dimensions of a transposition; number -1 is that of a single lane.
CopyDim srcLaneOf(const MoveBox &box, int number);
CopyDim dstLaneOf(const MoveBox &box, int number);

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_COPYPLAN_H
