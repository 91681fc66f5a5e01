// Tests of whose contents the rows of a memory have, against a table of single rows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/RowOwners.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace systole {
namespace {

constexpr int32_t kUnwritten = -2;
constexpr int64_t kRows = 40;

/// The same, row by row.
struct Table {
  std::vector<int32_t> owners = std::vector<int32_t>(kRows, kUnwritten);

  void set(int64_t first, int64_t end, int32_t owner) {
    for (int64_t row = first; row < end; ++row)
      owners[size_t(row)] = owner;
  }
  void setLater(int64_t first, int64_t end, int32_t owner) {
    for (int64_t row = first; row < end; ++row) {
      int32_t &own = owners[size_t(row)];
      own = own == kUnwritten || own == owner ? owner : RowOwners::kNobody;
    }
  }
};

void expectSame(const RowOwners &rows, const Table &table) {
  for (int64_t row = 0; row < kRows; ++row)
    for (int32_t owner = RowOwners::kNobody; owner < 4; ++owner)
      EXPECT_EQ(rows.areAll(row, row + 1, owner), table.owners[size_t(row)] == owner)
          << "row " << row << ", owner " << owner;
}

TEST(RowOwners, RunsOfOneOwnerAreAll) {
  RowOwners rows;
  rows.set(0, 8, 1);
  rows.set(8, 16, 1);
  rows.set(24, 32, 1);
  EXPECT_TRUE(rows.areAll(0, 16, 1));
  EXPECT_TRUE(rows.areAll(3, 12, 1));
  EXPECT_FALSE(rows.areAll(0, 17, 1));
  EXPECT_FALSE(rows.areAll(12, 28, 1));
  rows.set(6, 10, 2);
  EXPECT_FALSE(rows.areAll(0, 16, 1));
  EXPECT_TRUE(rows.areAll(10, 16, 1));
}

TEST(RowOwners, RandomRowsAreThoseOfATable) {
  std::mt19937 random(1);
  auto below = [&](int64_t limit) { return int64_t(random() % uint64_t(limit)); };
  for (int program = 0; program < 200; ++program) {
    RowOwners rows, others;
    Table table, otherTable;
    for (int step = 0; step < 12; ++step) {
      const bool isOther = below(3) == 0, isLater = below(3) == 0;
      const int64_t first = below(kRows), end = first + below(kRows - first + 1);
      const auto owner = int32_t(below(4));
      RowOwners &to = isOther ? others : rows;
      Table &toTable = isOther ? otherTable : table;
      isLater ? to.setLater(first, end, owner) : to.set(first, end, owner);
      isLater ? toTable.setLater(first, end, owner) : toTable.set(first, end, owner);
    }
    expectSame(rows, table);
    rows.join(others);
    for (int64_t row = 0; row < kRows; ++row)
      if (otherTable.owners[size_t(row)] != kUnwritten)
        table.setLater(row, row + 1, otherTable.owners[size_t(row)]);
    expectSame(rows, table);
  }
}

} // namespace
} // namespace systole
