// Rows of the row-linear layout, counted by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Layout/RowLayout.h"

#include <gtest/gtest.h>
#include <vector>

namespace systole {
namespace {

TEST(RowLayout, CountsRows) {
  // A scalar owns eight logical rows.
  EXPECT_EQ(logicalRows({}, {}), 8);
  EXPECT_EQ(physicalRows({}, {}, 8), 2);
  const int64_t matrix[] = {9, 300}, rowMajor[] = {1, 0}, columnMajor[] = {0, 1};
  // 9 rows of three tiles are 27, rounded up to 32; 300 rows of one tile are 304. A fourth tile
  // would be a quarter of the rows, so that there is no padding between them.
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

using Shape = std::vector<int64_t>;

TEST(RowLayout, PadsTilesOfNarrowElements) {
  // Five tiles of 128 lanes: six of bf16 are three rows of 512 bytes; eight of i8 would be three
  // eighths of padding.
  EXPECT_EQ(rowPadding(Shape{9, 600}, 16), (RowPadding{5, 6}));
  EXPECT_EQ(rowPadding(Shape{9, 600}, 8), RowPadding());
  EXPECT_EQ(rowPadding(Shape{9, 600}, 32), RowPadding());
  // Thirteen tiles become sixteen of i8, fourteen of bf16.
  EXPECT_EQ(rowPadding(Shape{2, 1600}, 8), (RowPadding{13, 16}));
  EXPECT_EQ(rowPadding(Shape{2, 1600}, 16), (RowPadding{13, 14}));
  // A vector has no rows that could begin inside of 512 bytes.
  EXPECT_EQ(rowPadding(Shape{600}, 16), RowPadding());
  const int64_t matrix[] = {9, 600}, rowMajor[] = {1, 0};
  // 9 x 6 logical rows, rounded up to 56.
  EXPECT_EQ(physicalRows(matrix, rowMajor, 16), 28);
  EXPECT_EQ(physicalRows(matrix, rowMajor, 8), 12);
}

TEST(RowLayout, PadsRowsOfNarrowElements) {
  // Seven positions of one tile become eight.
  EXPECT_EQ(rowPadding(Shape{10, 7, 7, 100}, 16), (RowPadding{7, 8}));
  EXPECT_EQ(rowPadding(Shape{10, 7, 7, 100}, 8), (RowPadding{7, 8}));
  // Two tiles are a whole row of bf16, of i8 two positions of them.
  EXPECT_EQ(rowPadding(Shape{10, 7, 7, 200}, 16), RowPadding());
  EXPECT_EQ(rowPadding(Shape{10, 7, 7, 200}, 8), (RowPadding{14, 16}));
  // A fourth position would be a quarter of the rows: the eleven outside are padded instead.
  EXPECT_EQ(rowPadding(Shape{10, 11, 3, 100}, 16), (RowPadding{33, 36}));
  // The outermost dimension is followed by padding anyway, and one of 3 by 3 stays as it is.
  EXPECT_EQ(rowPadding(Shape{11, 3, 100}, 16), RowPadding());
  EXPECT_EQ(rowPadding(Shape{8, 3, 3, 100}, 16), RowPadding());
  EXPECT_EQ(rowPadding(Shape{8, 0, 7, 100}, 16), (RowPadding{7, 8}));
}

TEST(RowLayout, PitchesOfPaddedDimensions) {
  const Shape shape{10, 11, 3, 100};
  EXPECT_EQ(rowPitch(shape, 16, 2), 1);
  EXPECT_EQ(rowPitch(shape, 16, 1), 3);
  EXPECT_EQ(rowPitch(shape, 16, 0), 36);
  EXPECT_EQ(rowPitch(shape, 32, 0), 33);
  RowPadding padding{33, 36};
  EXPECT_EQ(padding.rowOf(32), 32);
  EXPECT_EQ(padding.rowOf(33), 36);
  EXPECT_EQ(padding.rowOf(100), 109);
}

TEST(RowLayout, OccupiesNoPaddingBehindTheLastRow) {
  const RowPadding padding{15, 18};
  EXPECT_EQ(padding.padded(15), 18);
  EXPECT_EQ(padding.occupied(15), 15);
  EXPECT_EQ(padding.occupied(5), 5);
  EXPECT_EQ(padding.occupied(30), 36);
  EXPECT_EQ(RowPadding().occupied(15), 15);
  EXPECT_EQ(padding.occupied(0), 0);
}

TEST(RowLayout, ComparesPlaces) {
  // 49 rows, alone or as the only index of an outer dimension, are not moved.
  EXPECT_TRUE(haveSamePlaces(49, {49, 50}, {}));
  EXPECT_FALSE(haveSamePlaces(49, {7, 8}, {}));
  EXPECT_FALSE(haveSamePlaces(98, {49, 50}, {}));
  EXPECT_TRUE(haveSamePlaces(98, {49, 50}, {49, 50}));
}

} // namespace
} // namespace systole
