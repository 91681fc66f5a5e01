// Sorting networks of eight slots, and how often sorts compare.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/SortNetwork.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>

using namespace systole;

namespace {

using Bits = std::array<bool, kSublanes>;

Bits bitsOf(int number) {
  Bits bits;
  for (int slot = 0; slot < kSublanes; ++slot)
    bits[slot] = number >> slot & 1;
  return bits;
}

Bits applied(llvm::ArrayRef<Comparator> network, Bits bits) {
  for (auto [low, high] : network)
    if (bits[low] > bits[high])
      std::swap(bits[low], bits[high]);
  return bits;
}

bool isBitonic(const Bits &bits) {
  int changes = 0;
  for (int slot = 0; slot < kSublanes; ++slot)
    changes += bits[slot] != bits[(slot + 1) % kSublanes];
  return changes <= 2;
}

// A network that sorts all sequences of zeros and ones sorts everything (Knuth, 5.3.4, theorem Z).
TEST(SortNetwork, SortsEight) {
  for (int number = 0; number < 1 << kSublanes; ++number) {
    Bits sorted = applied(sorterOfEight(), bitsOf(number));
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end())) << number;
  }
}

TEST(SortNetwork, MergesEight) {
  for (int number = 0; number < 1 << kSublanes; ++number) {
    Bits bits = bitsOf(number), merged = applied(mergerOfEight(), bits);
    if (isBitonic(bits))
      EXPECT_TRUE(std::is_sorted(merged.begin(), merged.end())) << number;
  }
}

TEST(SortNetwork, Passes) {
  // 64 rows: levels of 16, 32 and 64 elements with distances from 8 up in 1, 2 and 3 loops.
  SortPasses rows = passesOf(SortShape({1, 64, 128}, 1), /*merge=*/false);
  EXPECT_EQ(rows.rows, 1 + 2 + 3);
  EXPECT_EQ(rows.eights, 1 + 3);
  EXPECT_EQ(rows.mirrored + rows.lanes, 0);
  // With four chunks, two more levels: mirror images, one bit of lanes in the second, and all
  // distances of rows.
  SortPasses chunks = passesOf(SortShape({1, 64, 128}, 4), /*merge=*/false);
  EXPECT_EQ(chunks.rows, 6 + 2 * 3);
  EXPECT_EQ(chunks.eights, 4 + 2);
  EXPECT_EQ(chunks.mirrored, 2);
  EXPECT_EQ(chunks.lanes, 1);
  SortPasses merge = passesOf(SortShape({1, 64, 128}, 4), /*merge=*/true);
  EXPECT_EQ(merge.rows, 3);
  EXPECT_EQ(merge.lanes, 2);
}

TEST(SortNetwork, VectorsAcrossGroups) {
  EXPECT_EQ(SortShape({2, 64, 1024}, 1).vectors(), 2 * 64);
  EXPECT_EQ(SortShape({2, 64, 1000}, 1).vectors(), 2 * 64);
  EXPECT_EQ(SortShape({2, 64, 200}, 1).vectors(), 2 * 64 / 8 * 2);
}

} // namespace
