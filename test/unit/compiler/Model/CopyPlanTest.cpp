// The form of copies: merged dimensions, and those that a transposition exchanges.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/CopyPlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using Dim = std::tuple<int64_t, int64_t, int64_t>; // size, steps in source and destination

std::vector<Dim> merged(std::initializer_list<CopyDim> dims) {
  llvm::SmallVector<CopyDim> all(dims);
  mergeDims(all);
  std::vector<Dim> result;
  for (const CopyDim &dim : all)
    result.emplace_back(dim.size, dim.src, dim.dst);
  return result;
}

using testing::ElementsAre;

TEST(CopyDims, DividesTowardsMinusInfinity) {
  EXPECT_EQ(floorDiv(127, 128), 0);
  EXPECT_EQ(floorDiv(-1, 128), -1);
  EXPECT_EQ(floorDiv(-128, 128), -1);
  EXPECT_EQ(floorDiv(-129, 128), -2);
  EXPECT_EQ(ceilDiv(1, 128), 1);
  EXPECT_EQ(ceilDiv(-1, 128), 0);
  EXPECT_EQ(ceilDiv(256, 128), 2);
}

TEST(CopyDims, MergesDimensionsThatContinueOthers) {
  EXPECT_THAT(merged({{3, 20, 20}, {4, 5, 5}, {5, 1, 1}}), ElementsAre(Dim(60, 1, 1)));
  // The destination has a gap behind each five elements.
  EXPECT_THAT(merged({{3, 20, 40}, {4, 5, 10}, {5, 1, 1}}),
              ElementsAre(Dim(12, 5, 10), Dim(5, 1, 1)));
}

TEST(CopyDims, KeepsDimensionsThatContinueOthersOnOneSide) {
  EXPECT_THAT(merged({{3, 1, 4}, {4, 3, 1}}), ElementsAre(Dim(3, 1, 4), Dim(4, 3, 1)));
}

MoveBox box(std::initializer_list<CopyDim> dims) {
  MoveBox result;
  result.dims.append(dims.begin(), dims.end());
  return result;
}

TEST(TransposePlan, ExchangesRowsAndLanes) {
  // Rows of the source lie along the lanes of the destination, and the reverse.
  auto plan = planTranspose(box({{128, 128, 1}, {128, 1, 128}}), 1);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->dstLane, 0);
  EXPECT_EQ(plan->srcLane, 1);
}

TEST(TransposePlan, IsFourTimesAsDearForFourBlocks) {
  auto one = planTranspose(box({{128, 128, 1}, {128, 1, 128}}), 1);
  auto four = planTranspose(box({{256, 256, 1}, {256, 1, 256}}), 1);
  ASSERT_TRUE(one && four);
  EXPECT_DOUBLE_EQ(four->cost, 4 * one->cost);
}

TEST(TransposePlan, IsNoneWhereLanesStayLanes) {
  EXPECT_FALSE(planTranspose(box({{128, 128, 128}, {128, 1, 1}}), 1));
}

} // namespace
} // namespace systole
