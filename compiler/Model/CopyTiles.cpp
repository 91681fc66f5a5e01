// Interval arithmetic over the tiles that a copy touches.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/CopyTiles.h"

#include <algorithm>

namespace systole {

LaneShape::LaneShape(const CopyDim *lane, const CopyDim *sublane, int64_t sublanesUsed)
    : sublanes(sublanesUsed) {
  if (lane) {
    count = lane->size;
    srcStep = lane->src;
    dstStep = lane->dst;
  }
  if (sublane) {
    srcRows = floorDiv(sublane->src, kLanes);
    dstRows = floorDiv(sublane->dst, kLanes);
    srcShift = sublane->src - srcRows * kLanes;
    dstShift = sublane->dst - dstRows * kLanes;
  }
}

LaneRange srcReach(const LaneShape &shape) {
  int64_t last = shape.srcStep * (shape.count - 1);
  return {std::min<int64_t>(last, 0), std::max<int64_t>(last, 0)};
}

LaneRange tilesAlwaysRead(const LaneShape &shape, LaneRange srcLane) {
  LaneRange reach = srcReach(shape);
  int64_t shift = shape.srcShift * (shape.sublanes - 1);
  return {floorDiv(srcLane.max + shift + reach.min, kLanes),
          floorDiv(srcLane.min + reach.max, kLanes)};
}

llvm::SmallVector<TileMove> tilesTouched(const LaneShape &shape, LaneRange srcLane,
                                         LaneRange dstLane) {
  int64_t rows = shape.sublanes - 1, last = shape.count - 1;
  int64_t srcShift = shape.srcShift * rows, dstShift = shape.dstShift * rows;
  int64_t dstStep = shape.count == 1 ? 1 : shape.dstStep;
  int64_t lastTile = floorDiv(dstLane.max + dstShift + dstStep * last, kLanes);
  llvm::SmallVector<TileMove> moves;
  for (int64_t tile = 0; tile <= lastTile; ++tile) {
    // Iterations whose destination may be in this tile.
    int64_t from = std::max<int64_t>(ceilDiv(kLanes * tile - dstLane.max - dstShift, dstStep), 0);
    int64_t to = std::min(floorDiv(kLanes * tile + kLanes - 1 - dstLane.min, dstStep), last);
    if (from > to)
      continue;
    int64_t atFrom = shape.srcStep * from, atTo = shape.srcStep * to;
    LaneRange reach{srcLane.min + std::min(atFrom, atTo),
                    srcLane.max + srcShift + std::max(atFrom, atTo)};
    if (shape.isRotation()) {
      // A source lane is its destination lane plus an offset.
      reach.min = std::max(reach.min, kLanes * tile + srcLane.min - dstLane.max);
      reach.max = std::min(reach.max, kLanes * tile + kLanes - 1 + srcLane.max - dstLane.min);
    }
    moves.push_back({tile, floorDiv(reach.min, kLanes), floorDiv(reach.max, kLanes)});
  }
  return moves;
}

} // namespace systole
