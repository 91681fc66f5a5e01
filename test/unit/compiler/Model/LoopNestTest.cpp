// The choice of loops over a stage's iteration space.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/LoopNest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

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

TEST(LoopPlan, OfNoDimensionsIsEmpty) { EXPECT_THAT(levels({}, {3, 4}, 8), IsEmpty()); }

} // namespace
} // namespace systole
