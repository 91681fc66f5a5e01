// The tiles of 128 lanes that one vector of a copy accesses.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_COPYTILES_H
#define SYSTOLE_COMPILER_MODEL_COPYTILES_H

#include "compiler/Model/CopyDims.h"

namespace systole {

struct LaneRange {
  int64_t min, max;
};

/// The work of eight sublanes in a copy: iteration i of the lane dimension in sublane s moves
/// lane `srcLane` + s * srcShift + i * srcStep to lane `dstLane` + s * dstShift + i *
/// dstStep, counted from the first lane of rows at distances `srcRows` and `dstRows` between
/// sublanes.
struct LaneShape {
  int64_t count = 1, srcStep = 1, dstStep = 1; // dstStep >= 1 unless count is 1
  int64_t srcRows = 0, dstRows = 0;
  int64_t srcShift = 0, dstShift = 0; // 0 to 127
  int64_t sublanes = 8;               // sublanes in use

  LaneShape() = default;
  LaneShape(const CopyDim *lane, const CopyDim *sublane, int64_t sublanesUsed);

  /// Whether all lanes of a sublane come from the same lane.
  bool isBroadcast() const { return srcShift == 0 && (count == 1 || srcStep == 0); }

  /// Whether the offset between source and destination lanes is uniform, so that a rotation moves
  /// them.
  bool isRotation() const { return srcShift == dstShift && (count == 1 || srcStep == dstStep); }
};

/// A tile of destination lanes and the range of source tiles that it depends on, relative to the
/// tile of lane 0.
struct TileMove {
  int64_t dst, firstSrc, lastSrc;
};
/// For lanes in the given ranges (of size 1 if they are static).
llvm::SmallVector<TileMove> tilesTouched(const LaneShape &shape, LaneRange srcLane,
                                         LaneRange dstLane);

/// The tiles that `sublane` may access unconditionally: every row in them is read by the copy, for
/// all lanes in the range.
LaneRange tilesAlwaysRead(const LaneShape &shape, LaneRange srcLane);

/// The lowest and highest offset of iterations in source lanes.
LaneRange srcReach(const LaneShape &shape);

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_COPYTILES_H
