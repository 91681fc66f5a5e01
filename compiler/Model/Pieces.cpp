// Operands of products that arrive in pieces.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/Pieces.h"

namespace systole {

/// More would fill and drain the pipelines of more loops.
constexpr int64_t kMostPieces = 8;
/// A piece is as much work as filling a pipeline so many times.
constexpr double kFewestFills = 4;
/// While these are copied, HBM could load a step's code.
constexpr int64_t kFewestBytes = 1 << 20;

int64_t piecesOf(int64_t rows, int64_t bytes, double cycles, const MxuShape &mxu) {
  // Each MXU takes as long for its rows of a piece as for the next weights.
  const int64_t tiles = int64_t(mxu.tiles) * mxu.tiles;
  const int64_t latch = MxuShape::kGroupsPerTile * tiles * mxu.latchInterval;
  const int64_t fewest = latch / mxu.pushInterval * kSublanes * mxu.count;
  const double fill = double(mxu.latchCycles(tiles) + mxu.pushLatency);
  int64_t pieces = 1;
  auto isLongEnough = [&](int64_t count) {
    return rows % (count * kSublanes) == 0 && rows / count >= fewest &&
           cycles >= kFewestFills * fill * double(count);
  };
  while (bytes >= kFewestBytes && 2 * pieces <= kMostPieces && isLongEnough(2 * pieces))
    pieces *= 2;
  return pieces;
}

} // namespace systole
