// The weights of blocks of positions against the windows of each position.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/DepthBlocks.h"

#include "gtest/gtest.h"

using namespace systole;

// Every element of each position's window has weights in one rectangle, and nothing else has.
TEST(DepthBlocks, WeightsAreThoseOfTheWindows) {
  for (int64_t block : {2, 3, 4})
    for (int64_t window = 1; window < 9; ++window)
      for (int64_t low = 0; low <= window; ++low) {
        DepthBlocks blocks{block, window, low};
        int64_t found = 0;
        for (int64_t tap = 0; tap < blocks.taps(); ++tap)
          for (const DepthBlocks::Weights &weights : blocks.weightsOf(tap))
            for (int64_t out = weights.outFirst; out < weights.outEnd; ++out)
              for (int64_t in = weights.inFirst; in < weights.inEnd; ++in, ++found) {
                int64_t element = (tap - blocks.before()) * block + in - out + low;
                EXPECT_TRUE(element >= 0 && element < window) << block << window << low;
              }
        EXPECT_EQ(found, block * window) << block << " " << window << " " << low;
      }
}

TEST(DepthBlocks, PairsOfPositions) {
  DepthBlocks three{2, 3, 1};
  EXPECT_EQ(three.taps(), 3);
  ASSERT_EQ(three.weightsOf(0).size(), 1u);
  EXPECT_EQ(three.weightsOf(0)[0].inFirst, 1);
  EXPECT_EQ(three.weightsOf(0)[0].outEnd, 1);
  ASSERT_EQ(three.weightsOf(1).size(), 1u);
  // The block that all positions see comes first.
  ASSERT_EQ(three.parts().size(), 3u);
  EXPECT_EQ(three.parts()[0].firstTap, 1);
  // The outer blocks have three of four positions' weights, in two rectangles.
  DepthBlocks five{2, 5, 2};
  EXPECT_EQ(five.taps(), 3);
  EXPECT_EQ(five.weightsOf(0).size(), 2u);
  EXPECT_EQ(five.weightsOf(2).size(), 2u);
  // All blocks but the outer ones are one part.
  DepthBlocks wide{2, 41, 20};
  ASSERT_EQ(wide.parts().size(), 5u);
  EXPECT_EQ(wide.parts()[0].taps, wide.taps() - 2);
  // Windows of one position have no block in common.
  EXPECT_TRUE((DepthBlocks{2, 1, 0}).parts().empty());
}
