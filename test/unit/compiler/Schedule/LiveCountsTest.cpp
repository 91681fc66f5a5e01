// Live values of a modulo schedule, against counting each cycle of each value.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/LiveCounts.h"

#include <random>

#include "gtest/gtest.h"

using namespace systole::machine;

TEST(LiveCounts, AreThoseOfEachCycle) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const auto ii = int32_t(1 + random() % 9);
    LiveCounts counts(ii);
    std::vector<int32_t> cycles(size_t(ii), 0);
    for (int value = 0; value < 12; ++value) {
      const auto begin = int32_t(random() % 30), end = begin + int32_t(random() % 25);
      counts.add(begin, end);
      for (int32_t cycle = begin; cycle < end; ++cycle)
        ++cycles[size_t(cycle % ii)];
      EXPECT_EQ(counts.most(), *std::max_element(cycles.begin(), cycles.end())) << ii;
    }
  }
}
