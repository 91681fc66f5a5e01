// Tiles of lanes that parts of a copy touch, worked out by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/CopyTiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using Tiles = std::tuple<int64_t, int64_t, int64_t>; // destination, first and last source

std::vector<Tiles> touched(const LaneShape &shape, LaneRange srcLane, LaneRange dstLane) {
  std::vector<Tiles> result;
  for (const TileMove &move : tilesTouched(shape, srcLane, dstLane))
    result.emplace_back(move.dst, move.firstSrc, move.lastSrc);
  return result;
}

std::pair<int64_t, int64_t> alwaysRead(const LaneShape &shape, LaneRange srcLane) {
  LaneRange range = tilesAlwaysRead(shape, srcLane);
  return {range.min, range.max};
}

/// `count` iterations that step through source and destination lanes, in one sublane.
LaneShape along(int64_t count, int64_t srcStep, int64_t dstStep) {
  CopyDim lane{count, srcStep, dstStep};
  return LaneShape(&lane, nullptr, 1);
}

using testing::ElementsAre;
using testing::Pair;

TEST(LaneShape, SplitsTheStepOfSublanesIntoRowsAndLanes) {
  CopyDim lane{100, 1, 1}, sublane{8, 300, -1};
  LaneShape shape(&lane, &sublane, 8);
  EXPECT_EQ(shape.srcRows, 2);
  EXPECT_EQ(shape.srcShift, 44);
  // A lane back is 127 lanes ahead in the row before.
  EXPECT_EQ(shape.dstRows, -1);
  EXPECT_EQ(shape.dstShift, 127);
}

TEST(LaneShape, KnowsRotationsAndBroadcasts) {
  EXPECT_TRUE(along(5, 1, 1).isRotation());
  EXPECT_FALSE(along(5, 2, 1).isRotation());
  EXPECT_TRUE(along(1, 2, 1).isRotation());
  EXPECT_TRUE(along(5, 0, 1).isBroadcast());
  EXPECT_FALSE(along(5, 1, 1).isBroadcast());
  CopyDim lane{5, 0, 1}, sublane{8, 129, 128};
  // Each sublane has a source lane of its own.
  EXPECT_FALSE(LaneShape(&lane, &sublane, 8).isBroadcast());
}

TEST(CopyTiles, OfWholeRowsAreTheSame) {
  EXPECT_THAT(touched(along(128, 1, 1), {0, 0}, {0, 0}), ElementsAre(Tiles(0, 0, 0)));
  EXPECT_THAT(touched(along(300, 1, 1), {0, 0}, {0, 0}),
              ElementsAre(Tiles(0, 0, 0), Tiles(1, 1, 1), Tiles(2, 2, 2)));
}

TEST(CopyTiles, OfRotatedRowsAreTwo) {
  // Lanes 100 to 227 to one row.
  EXPECT_THAT(touched(along(128, 1, 1), {100, 100}, {0, 0}), ElementsAre(Tiles(0, 0, 1)));
  // One row to lanes 100 to 227: 28 lanes and 100.
  EXPECT_THAT(touched(along(128, 1, 1), {0, 0}, {100, 100}),
              ElementsAre(Tiles(0, 0, 0), Tiles(1, 0, 0)));
}

TEST(CopyTiles, OfStrides) {
  // Every other lane of the destination: the first half of the row, then the second.
  EXPECT_THAT(touched(along(128, 1, 2), {0, 0}, {0, 0}),
              ElementsAre(Tiles(0, 0, 0), Tiles(1, 0, 0)));
  // Each lane from another tile.
  EXPECT_THAT(touched(along(3, 128, 1), {0, 0}, {0, 0}), ElementsAre(Tiles(0, 0, 2)));
  // Backwards.
  EXPECT_THAT(touched(along(128, -1, 1), {127, 127}, {0, 0}), ElementsAre(Tiles(0, 0, 0)));
  // Destination lanes 0 and 256: nothing comes to the tile between.
  EXPECT_THAT(touched(along(2, 1, 256), {0, 0}, {0, 0}),
              ElementsAre(Tiles(0, 0, 0), Tiles(2, 0, 0)));
}

TEST(CopyTiles, OfUnknownLanesAreAllPossibleOnes) {
  // From lane 127 the source reaches lane 254; from lane 127 the destination does, and its
  // second tile gets iteration 1 at the earliest.
  EXPECT_THAT(touched(along(128, 1, 1), {0, 127}, {0, 127}),
              ElementsAre(Tiles(0, 0, 1), Tiles(1, 0, 1)));
}

TEST(CopyTiles, AreAlwaysReadWhereEverySublaneReads) {
  EXPECT_THAT(alwaysRead(along(256, 1, 1), {0, 0}), Pair(0, 1));
  // Lanes 127 to 382 or 0 to 255.
  EXPECT_THAT(alwaysRead(along(256, 1, 1), {0, 127}), Pair(0, 1));
  // Sublane 7 starts 140 lanes later.
  CopyDim lane{256, 1, 1}, sublane{8, 20, 128};
  EXPECT_THAT(alwaysRead(LaneShape(&lane, &sublane, 8), {0, 0}), Pair(1, 1));
}

TEST(CopyTiles, ReachBackwards) {
  LaneRange reach = srcReach(along(5, -3, 1));
  EXPECT_EQ(reach.min, -12);
  EXPECT_EQ(reach.max, 0);
}

} // namespace
} // namespace systole
