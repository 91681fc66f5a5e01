// Rows of the row-linear layout, counted by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Layout/RowLayout.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

TEST(RowLayout, CountsRows) {
  // A scalar owns eight logical rows.
  EXPECT_EQ(logicalRows({}, {}), 8);
  EXPECT_EQ(physicalRows({}, {}, 8), 2);
  const int64_t matrix[] = {9, 300}, rowMajor[] = {1, 0}, columnMajor[] = {0, 1};
  // 9 rows of three tiles are 27, rounded up to 32; 300 rows of one tile are 304.
  EXPECT_EQ(logicalRows(matrix, rowMajor), 32);
  EXPECT_EQ(logicalRows(matrix, columnMajor), 304);
  EXPECT_EQ(physicalRows(matrix, rowMajor, 32), 32);
  EXPECT_EQ(physicalRows(matrix, rowMajor, 16), 16);
  EXPECT_EQ(physicalRows(matrix, rowMajor, 8), 8);
  // Two planes of 32 rows.
  EXPECT_EQ(physicalRows(matrix, rowMajor, 64), 64);
  const int64_t empty[] = {0, 300};
  EXPECT_EQ(logicalRows(empty, rowMajor), 0);
}

} // namespace
} // namespace systole
