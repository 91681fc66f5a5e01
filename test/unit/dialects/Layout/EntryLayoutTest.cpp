// The dimension along the lanes, against rows counted by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Layout/EntryLayout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<int64_t> order(std::vector<int64_t> dims) { return entryOrder(dims); }

TEST(EntryLayout, PutsTheDimensionThatPadsLeastAlongTheLanes) {
  // 1,000 rows of 3 lanes, or 3 of 8 x 128.
  EXPECT_THAT(order({1000, 3}), ElementsAre(0, 1));
  // 7,000 rows, 3,000, or 21 x 8; the others stay in row-major order.
  EXPECT_THAT(order({7, 1000, 3}), ElementsAre(1, 2, 0));
  EXPECT_THAT(order({200, 1, 1}), ElementsAre(0, 2, 1));
  EXPECT_THAT(order({7, 129, 3, 7, 1}), ElementsAre(1, 4, 3, 2, 0));
}

TEST(EntryLayout, PrefersInnerDimensionsOfNearlyEqualOnes) {
  // Two groups of lanes for 224 columns, an eighth of them padding, or one for 128 images.
  EXPECT_THAT(order({128, 224, 224, 3}), ElementsAre(2, 3, 1, 0));
  // More than a quarter more rows for 150 columns.
  EXPECT_THAT(order({128, 150, 150, 3}), ElementsAre(0, 3, 2, 1));
}

TEST(EntryLayout, KeepsRowMajorOrderWhereLittleIsGained) {
  EXPECT_THAT(order({}), IsEmpty());
  EXPECT_THAT(order({1000}), ElementsAre(0));
  EXPECT_THAT(order({3, 1000}), ElementsAre(1, 0));
  // 1,000 rows or 64 x 8: a quarter at most is required.
  EXPECT_THAT(order({1000, 64}), ElementsAre(1, 0));
  // Of equal dimensions the last.
  EXPECT_THAT(order({300, 300}), ElementsAre(1, 0));
  // Eight times smaller, but all of it is 64 rows.
  EXPECT_THAT(order({64, 3}), ElementsAre(1, 0));
  EXPECT_THAT(order({0, 1000, 3}), ElementsAre(2, 1, 0));
}

TEST(EntryLayout, DividesByFourAndSaves128Rows) {
  // 136 rows of one lane (129 in whole vector registers) against eight: 128 saved.
  EXPECT_THAT(order({129, 1}), ElementsAre(0, 1));
  // 128 against eight: 120 saved.
  EXPECT_THAT(order({128, 1}), ElementsAre(1, 0));
  // 1,022 in whole vector registers 1,024 against 32 x 8 = 256, exactly a quarter; 33 x 8 is more.
  EXPECT_THAT(order({1022, 32}), ElementsAre(0, 1));
  EXPECT_THAT(order({1022, 33}), ElementsAre(1, 0));
}

int64_t tile(std::vector<int64_t> dims) { return entryTile(dims); }

TEST(EntryLayout, PutsPositionsSideBySide) {
  EXPECT_EQ(tile({64, 56, 56, 64}), 2);
  EXPECT_EQ(tile({64, 56, 56, 32}), 4);
  EXPECT_EQ(tile({1024, 32}), 4);
  EXPECT_EQ(tile({}), 1);
  EXPECT_EQ(tile({1000}), 1);
}

TEST(EntryLayout, LeavesRowsThatDoNotFillLanes) {
  EXPECT_EQ(tile({64, 56, 56, 128}), 1);
  EXPECT_EQ(tile({64, 56, 56, 48}), 1);
  EXPECT_EQ(tile({64, 56, 56, 16}), 1);
  // An odd number of positions; two of four.
  EXPECT_EQ(tile({64, 56, 57, 64}), 1);
  EXPECT_EQ(tile({64, 56, 58, 32}), 1);
  EXPECT_EQ(tile({0, 56, 64}), 1);
}

TEST(EntryLayout, TilesWhereThatSaves128Rows) {
  EXPECT_EQ(tile({256, 64}), 2);
  EXPECT_EQ(tile({254, 64}), 1);
}

TEST(EntryLayout, DoesNotTileArraysInAnotherOrder) {
  // The 64 are outside, and 1,022 along the lanes.
  EXPECT_EQ(tile({1022, 32}), 1);
  EXPECT_THAT(order({64, 1000, 3}), ElementsAre(1, 2, 0));
  EXPECT_EQ(tile({64, 1000, 3}), 1);
}

TEST(EntryLayout, DoesNotAskWhereRowsBegin) {
  // 15,625 lane groups a row: odd, so that adjacent rows would share cells of narrow elements.
  EXPECT_THAT(order({2000000, 3}), ElementsAre(0, 1));
  EXPECT_THAT(order({2000000, 1}), ElementsAre(0, 1));
  EXPECT_THAT(order({1000, 5, 3}), ElementsAre(0, 2, 1));
}

} // namespace
} // namespace systole
