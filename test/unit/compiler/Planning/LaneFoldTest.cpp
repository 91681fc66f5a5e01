// Shapes of images and sums with elements of a window side by side along the lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/LaneFold.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using Shape = llvm::SmallVector<int64_t>;

TEST(LaneFoldTest, BlocksOfRowsStandAtAllRows) {
  // 5 x 5 elements, all of a row and two rows: two blocks and a row that is left.
  LaneFold fold{{{5, 1, 1}, {5, 1, 1}}, /*outer=*/0, /*folded=*/2};
  EXPECT_EQ(fold.blocks(), 2);
  EXPECT_EQ(fold.rest(), 1);
  EXPECT_EQ(fold.inner(), 5);
  auto levels = foldLevels(fold, {4, 22, 22, 9}, {18, 18});
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].dim, 1u);
  EXPECT_EQ(levels[0].shape, Shape({4, 22, 18, 45}));
  EXPECT_EQ(levels[1].dim, 0u);
  // The fifth row is left and is read before; the last position sees two others two rows further.
  EXPECT_EQ(levels[1].shape, Shape({4, 20, 18, 90}));
}

TEST(LaneFoldTest, ElementsThatAreLeftAreTheBeginOfABlock) {
  LaneFold fold{{{5, 1, 1}}, /*outer=*/0, /*folded=*/3};
  EXPECT_EQ(fold.rest(), 2);
  auto levels = foldLevels(fold, {10, 24, 40}, {20});
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0].shape, Shape({10, 23, 120}));
}

TEST(LaneFoldTest, OneBlockStandsAtThePositions) {
  LaneFold fold{{{3, 1, 2}, {3, 1, 2}}, /*outer=*/0, /*folded=*/3};
  auto levels = foldLevels(fold, {4, 33, 33, 8}, {16, 16});
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].shape, Shape({4, 33, 16, 24}));
  EXPECT_EQ(levels[1].shape, Shape({4, 16, 16, 72}));
}

TEST(LaneFoldTest, DimensionsOfOneElementStay) {
  LaneFold fold{{{3, 1, 1}, {1, 1, 1}}, /*outer=*/0, /*folded=*/3};
  auto levels = foldLevels(fold, {4, 12, 10, 32}, {10, 10});
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0].shape, Shape({4, 10, 10, 96}));
}

TEST(LaneFoldTest, SumsBecomeRowsOneDimensionAtATime) {
  LaneFold fold{{{5, 1, 1}, {5, 1, 1}}, /*outer=*/0, /*folded=*/2};
  EXPECT_EQ(foldedSums(fold, {5, 5, 96, 8}, fold.blocks(), fold.folded), Shape({2, 1, 96, 80}));
  EXPECT_EQ(foldedSums(fold, {5, 5, 96, 8}, 1, fold.rest()), Shape({1, 1, 96, 40}));
  auto levels = unfoldLevels(fold, {5, 5, 96, 8});
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].shape, Shape({5, 1, 96, 40}));
  EXPECT_EQ(levels[1].shape, Shape({5, 5, 96, 8}));
}

} // namespace
} // namespace systole
