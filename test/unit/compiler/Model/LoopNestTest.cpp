// The choice of loops over a stage's iteration space.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/LoopNest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using llvm::SmallVector;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// The levels of a plan, outermost first: dimension, and whether it is unrolled.
std::vector<std::pair<size_t, bool>> levels(std::vector<size_t> dimensions,
                                            std::vector<int64_t> trips, int64_t maxCopies) {
  std::vector<std::pair<size_t, bool>> result;
  for (const LoopPlan::Level &level : planLoops(dimensions, trips, maxCopies).levels)
    result.emplace_back(level.dim, level.unrolled);
  return result;
}

/// The extents of the loop dimensions of a space of which no dimension is pinned or reduced.
std::vector<int64_t> extents(const std::vector<int64_t> &sizes,
                             const std::vector<RowAccess> &accesses) {
  std::vector<const RowAccess *> pointers;
  for (const RowAccess &access : accesses)
    pointers.push_back(&access);
  SmallVector<bool> none(sizes.size(), false);
  std::vector<int64_t> result;
  for (const LoopDim &dim : loopDims(sizes, pointers, none, none))
    result.push_back(dim.extent);
  return result;
}

TEST(LoopDims, MergeWithOneThatChoosesLanesInWholeRows) {
  // [4, 256, 128], and one element for each row of it: [4, 256] with two groups of lanes.
  RowAccess matrix{{256, 1, 1}}, perRow{{2, 0, 0}, 0, RowAccess::Lanes::chosen, 1};
  EXPECT_THAT(extents({4, 256, 128}, {matrix, perRow}), ElementsAre(1024));
  // With rows apart the index does not go on in the next one.
  perRow.strides[0] = 3;
  EXPECT_THAT(extents({4, 256, 128}, {matrix, perRow}), ElementsAre(4, 256));
  // Nor do 200 elements end with a row.
  matrix.strides[0] = 200;
  perRow.strides[0] = 2;
  EXPECT_THAT(extents({4, 200, 128}, {matrix, perRow}), ElementsAre(4, 200));
}

TEST(LoopDims, MergeNothingInsideOfOneThatChoosesLanes) {
  // [128, 4, 128], and one element for each of the 128.
  RowAccess box{{4, 1, 1}}, perBox{{0, 0, 0}, 0, RowAccess::Lanes::chosen, 0};
  EXPECT_THAT(extents({128, 4, 128}, {box, perBox}), ElementsAre(128, 4));
}

TEST(PaddingTakesLastGroup, WhereItHasEightRowsForEachGroupOfLanes) {
  auto takes = [](std::vector<int64_t> sizes, RowAccess access, int64_t rows, bool isWritten) {
    SmallVector<bool> none(sizes.size(), false);
    SmallVector<LoopDim> dims = loopDims(sizes, {&access}, none, none);
    return paddingTakesLastGroup(dims, 0, access, 0, rows, isWritten);
  };
  // 257 rows in 264.
  EXPECT_TRUE(takes({257, 64}, {{1, 0}}, 257, true));
  // Two groups of lanes: the last group of eight ends at row 528, the padding at 520.
  EXPECT_FALSE(takes({257, 256}, {{2, 0}}, 514, false));
  EXPECT_TRUE(takes({263, 256}, {{2, 0}}, 526, false));
  // A part of a buffer of 512 rows: what follows are elements, which may be read.
  EXPECT_TRUE(takes({257, 64}, {{1, 0}}, 512, false));
  EXPECT_FALSE(takes({257, 64}, {{1, 0}}, 512, true));
  // It begins at row 10.
  EXPECT_FALSE(takes({257, 64}, {{1, 0}, 10}, 267, false));
}

TEST(LoopPlan, PutsShortUnrolledLoopsIntoTheLongestOne) {
  EXPECT_THAT(levels({0, 1, 2}, {10, 100, 4}, 8),
              ElementsAre(Pair(0, false), Pair(1, false), Pair(2, true)));
}

TEST(LoopPlan, MovesTheLongestLoopInwards) {
  EXPECT_THAT(levels({0, 1, 2}, {10, 100, 4}, 1),
              ElementsAre(Pair(0, false), Pair(2, false), Pair(1, false)));
}

TEST(LoopPlan, KeepsTheOrderOfEquallyLongLoops) {
  EXPECT_THAT(levels({0, 1}, {50, 50}, 8), ElementsAre(Pair(0, false), Pair(1, false)));
}

TEST(LoopPlan, UnrollsAllWhereTheCopiesAreFew) {
  EXPECT_THAT(levels({0, 1}, {2, 3}, 8), ElementsAre(Pair(0, true), Pair(1, true)));
  EXPECT_THAT(levels({0, 1}, {2, 5}, 8), ElementsAre(Pair(1, false), Pair(0, true)));
}

/// An input that changes along some of three dimensions.
LoopInput input(std::vector<size_t> along, double price = 1) {
  LoopInput result{{false, false, false}, price};
  for (size_t dim : along)
    result.changes[dim] = true;
  return result;
}

// A row's vectors are the same in all rows: two copies of the body hold theirs in registers.
TEST(LoopPlan, HoistsVectorsOfUnrolledCopies) {
  LoopPlan plan = planLoops({0, 1}, {100, 2}, 4, {input({0, 1}), input({1}), input({1})});
  EXPECT_TRUE(plan.hoistsInvariants);
  ASSERT_EQ(plan.levels.size(), 2U);
  EXPECT_EQ(plan.levels[0].dim, 0U);
  EXPECT_TRUE(plan.levels[1].unrolled);
}

// Four copies with three vectors each would take 12 registers: a loop of four around the long one.
TEST(LoopPlan, LoopsOverCopiesWithManyVectors) {
  LoopPlan plan =
      planLoops({0, 1}, {100, 4}, 4, {input({0, 1}), input({1}), input({1}), input({1})});
  ASSERT_EQ(plan.levels.size(), 2U);
  EXPECT_EQ(plan.levels[0].dim, 1U);
  EXPECT_FALSE(plan.levels[0].unrolled);
  EXPECT_EQ(plan.innermostLoop(), 1U);
}

// 64 rows of 12 vectors: one number a row is gathered once for all of them if the shorter loop is
// inside, 64 * 5 slots and 64 * 52 cycles of waiting and filling against 768 * 5 slots.
TEST(LoopPlan, GathersOncePerRow) {
  std::vector<LoopInput> inputs = {input({0, 1}), input({0}, 5)};
  LoopPlan plan = planLoops({0, 1}, {64, 12}, 4, inputs);
  ASSERT_EQ(plan.levels.size(), 2U);
  EXPECT_EQ(plan.levels[1].dim, 1U);
  // Where arithmetic takes longer than the gathers anyway, the long loop stays inside.
  plan = planLoops({0, 1}, {64, 12}, 4, inputs, 12);
  EXPECT_EQ(plan.levels[1].dim, 0U);
}

TEST(LoopPlan, OfNoDimensionsIsEmpty) { EXPECT_THAT(levels({}, {3, 4}, 8), IsEmpty()); }

} // namespace
} // namespace systole
