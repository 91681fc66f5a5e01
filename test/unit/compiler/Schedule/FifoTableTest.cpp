// Results that FIFOs hold over the iterations of a modulo schedule.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/FifoTable.h"

#include "gtest/gtest.h"

namespace systole::machine {
namespace {

Limits deep(int depth) {
  Limits limits;
  limits.xluFifoDepth = limits.eupFifoDepth = limits.v2sFifoDepth = limits.mxuFifoDepth = depth;
  return limits;
}

TEST(FifoTable, CountsResultsOfOverlappingIterations) {
  FifoTable table(10, deep(3));
  // 25 cycles: two iterations overlap in every cycle, three in cycles 4 to 8 of the ten.
  FifoInterval interval{0, 4, 29};
  EXPECT_TRUE(table.fits(interval, 1));
  EXPECT_FALSE(table.fits(interval, 2));
  table.add(interval, 1);
  EXPECT_TRUE(table.holds());
  EXPECT_TRUE(table.fits({0, 9, 14}, 1)) << "cycles 9, 0, 1, 2, 3";
  EXPECT_FALSE(table.fits({0, 9, 15}, 1)) << "in cycle 4 are three already";
  EXPECT_FALSE(table.fits({0, 9, 14}, 2));
  EXPECT_TRUE(table.fits({1, 9, 15}, 3)) << "another FIFO";
  table.remove(interval, 1);
  EXPECT_TRUE(table.fits({0, 9, 15}, 3));
}

TEST(FifoTable, NoticesOverfullFifos) {
  FifoTable table(4, deep(2));
  table.add({2, 1, 9}, 1); // eight cycles, twice the interval
  EXPECT_TRUE(table.holds());
  table.add({2, 3, 4}, 1);
  EXPECT_FALSE(table.holds());
  table.remove({2, 3, 4}, 1);
  EXPECT_TRUE(table.holds());
}

TEST(FifoTable, FindsIntervalsThatShareACycle) {
  FifoTable table(10, deep(4));
  EXPECT_TRUE(table.overlap({0, 2, 6}, {0, 15, 17})) << "cycle 5 of an iteration";
  EXPECT_FALSE(table.overlap({0, 2, 6}, {0, 16, 18}));
  EXPECT_FALSE(table.overlap({0, 2, 6}, {1, 2, 6}));
  EXPECT_TRUE(table.overlap({0, 8, 13}, {0, 2, 3})) << "cycle 2 of the next iteration";
  EXPECT_FALSE(table.overlap({0, 8, 13}, {0, 3, 8}));
}

} // namespace
} // namespace systole::machine
