// Offsets of buffers, laid out by hand and against brute force.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Offsets.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace systole {
namespace {

using Buffers = std::vector<LiveBuffer>;

TEST(OffsetsTest, NothingTakesNothing) {
  Buffers none;
  EXPECT_EQ(assignOffsets(none), 0);
  EXPECT_EQ(mostLive(none), 0);
}

TEST(OffsetsTest, SmallBuffersFillTheGapsOfLargeOnes) {
  Buffers buffers = {{40, 0, 1}, {32, 0, 9}, {24, 5, 6}, {16, 5, 6}};
  // The first and the second one above the other; the others take the first one's place.
  EXPECT_EQ(assignOffsets(buffers), 72);
  EXPECT_EQ(mostLive(buffers), 72);
  EXPECT_EQ(buffers[2].offset, 0);
  EXPECT_EQ(buffers[3].offset, 24);
}

TEST(OffsetsTest, TriesAnotherOrderWhereTheLargestFirstLeavesGaps) {
  // The largest first: both of 3 at 0, that of [1, 3] at 3 and that of [2, 5] at 4. By bytes times
  // time that of [2, 5] comes second, at 0, that of [1, 3] is at 3, and that of [5, 5] at 1.
  Buffers buffers = {{1, 1, 3}, {3, 5, 5}, {1, 2, 5}, {3, 0, 1}};
  EXPECT_EQ(mostLive(buffers), 4);
  EXPECT_EQ(assignOffsets(buffers), 4);
}

TEST(OffsetsTest, SeparateBuffersShareNothing) {
  Buffers buffers = {{8, 0, 1, true}, {8, 5, 6, true}, {8, 5, 6}};
  EXPECT_EQ(assignOffsets(buffers), 16);
  EXPECT_EQ(mostLive(buffers), 16);
  EXPECT_NE(buffers[0].offset, buffers[1].offset);
  EXPECT_EQ(buffers[2].offset, buffers[0].offset);
}

TEST(OffsetsTest, PlacesWhatEndedBeyondTheCapacityBeforeTheOthers) {
  std::mt19937 random(3);
  int plain = 0, within = 0;
  for (int round = 0; round < 200; ++round) {
    Buffers buffers(30);
    for (LiveBuffer &buffer : buffers) {
      buffer.size = int64_t(1 + random() % 9);
      buffer.begin = int64_t(random() % 30);
      buffer.end = buffer.begin + int64_t(random() % 12);
    }
    const int64_t live = mostLive(buffers), total = assignOffsets(buffers);
    const int64_t fitted = assignOffsets(buffers, live);
    EXPECT_LE(fitted, total);
    plain += total == live;
    within += fitted == live;
  }
  EXPECT_GT(within, plain);
}

TEST(OffsetsTest, BuffersOfOneTimeNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Buffers buffers(1 + random() % 40);
    for (LiveBuffer &buffer : buffers) {
      buffer.size = 8 * int64_t(1 + random() % 9);
      buffer.begin = int64_t(random() % 30);
      buffer.end = buffer.begin + int64_t(random() % 12);
      buffer.isSeparate = random() % 8 == 0;
    }
    const int64_t live = mostLive(buffers);
    const int64_t total = round % 2 ? assignOffsets(buffers) : assignOffsets(buffers, live);
    EXPECT_GE(total, live);
    for (const LiveBuffer &a : buffers) {
      EXPECT_GE(a.offset, 0);
      EXPECT_LE(a.offset + a.size, total);
      for (const LiveBuffer &b : buffers) {
        const bool isTogether =
            (a.begin <= b.end && b.begin <= a.end) || (a.isSeparate && b.isSeparate);
        EXPECT_TRUE(&a == &b || !isTogether || a.offset + a.size <= b.offset ||
                    b.offset + b.size <= a.offset);
      }
    }
  }
}

} // namespace
} // namespace systole
