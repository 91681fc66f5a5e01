// Taps that share weights, against all pairs of taps and boxes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/FilterParts.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace systole {
namespace {

using Window = stablehlo::ConvolutionOp::Window;

class SharedTapsTest : public testing::TestWithParam<std::tuple<int, int, int, int>> {};

TEST_P(SharedTapsTest, EveryPairOccursOnceWithItsElement) {
  auto [stride, dilation, taps, boxes] = GetParam();
  Window window{boxes, stride};
  window.rhsDilation = dilation;
  std::set<std::pair<int64_t, int64_t>> pairs, begun;
  auto sets = sharedTaps(window, taps, boxes);
  ASSERT_FALSE(sets.empty());
  for (const SharedTaps &set : sets) {
    for (int64_t i = 0; i < set.count; ++i)
      for (int64_t t = 0; t < set.taps; ++t) {
        int64_t tap = set.tap + t * set.tapStep, box = set.box + i - t * set.apart;
        EXPECT_TRUE(pairs.insert({tap, box}).second) << tap << " " << box;
        EXPECT_TRUE(box >= 0 && box < boxes && tap < taps) << tap << " " << box;
        EXPECT_EQ(set.image + i * dilation, tap * stride + box * dilation);
        bool isFirst = begun.insert({tap, 0}).second;
        EXPECT_TRUE(!isFirst || set.begins) << tap;
      }
  }
  EXPECT_EQ(pairs.size(), size_t(taps) * size_t(boxes));
}

INSTANTIATE_TEST_SUITE_P(All, SharedTapsTest,
                         testing::Combine(testing::Values(1, 2, 3), testing::Values(1, 2, 3, 4),
                                          testing::Values(2, 3, 4), testing::Values(12, 17)));

TEST(SharedTapsTest, NeighboursOfAWindowShareOneSetOfWeights) {
  Window window{28};
  auto sets = sharedTaps(window, /*taps=*/3, /*boxes=*/28);
  // Elements 2 to 27 meet all taps; two before and two behind them meet fewer.
  ASSERT_EQ(sets.size(), 5u);
  EXPECT_EQ(sets[0].count, 26);
  EXPECT_EQ(sets[0].taps, 3);
  EXPECT_TRUE(sets[0].begins);
  EXPECT_FALSE(sets[1].begins);
}

TEST(SharedTapsTest, NoSetHasAllTapsOfFewBoxes) {
  EXPECT_TRUE(sharedTaps(Window{2}, /*taps=*/3, /*boxes=*/2).empty());
}

} // namespace
} // namespace systole
