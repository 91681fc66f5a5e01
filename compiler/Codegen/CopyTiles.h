// Which tiles of 128 lanes one vector's worth of a copy touches.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_COPYTILES_H
#define SYSTOLE_COMPILER_CODEGEN_COPYTILES_H

#include "compiler/Codegen/CopyBox.h"

namespace systole::codegen {

struct Range {
  int64_t min, max;
};

/// What eight sublanes of a copy do: iteration i of the lane dimension in
/// sublane s takes lane `srcLane` + s * srcShift + i * srcStep and puts it to
/// lane `dstLane` + s * dstShift + i * dstStep, counted from the first lane of
/// rows that are `srcRows` and `dstRows` apart from sublane to sublane.
struct LaneShape {
  int64_t count = 1, srcStep = 1, dstStep = 1; // dstStep >= 1 unless count is 1
  int64_t srcRows = 0, dstRows = 0;
  int64_t srcShift = 0, dstShift = 0; // 0 to 127
  int64_t sublanes = 8;               // those in use

  LaneShape() = default;
  LaneShape(const CopyDim *lane, const CopyDim *sublane, int64_t sublanesUsed);

  /// All lanes of a sublane come from the same lane.
  bool isBroadcast() const { return srcShift == 0 && (count == 1 || srcStep == 0); }

  /// Source and destination lanes differ by the same amount everywhere, so that
  /// a rotation moves them.
  bool isRotation() const { return srcShift == dstShift && (count == 1 || srcStep == dstStep); }
};

/// A tile of destination lanes and the tiles of source lanes that reach it, all
/// counted from the tile of lane 0.
struct TileMove {
  int64_t dst, firstSrc, lastSrc;
};
/// For lanes within the given ranges (of one number each when they are known).
llvm::SmallVector<TileMove> tilesTouched(const LaneShape &shape, Range srcLane, Range dstLane);

/// The tiles that `sublane` may touch for sure: every row in them is one that
/// the copy reads, for all lanes in the range.
Range tilesAlwaysRead(const LaneShape &shape, Range srcLane);

/// Lowest and highest step of iterations in source lanes.
Range srcReach(const LaneShape &shape);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_COPYTILES_H
