// Pieces of operands, against rows and cycles counted by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/Pieces.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

constexpr int64_t kMebibyte = 1 << 20;
// Latches of 128 rows in 132 cycles, and a result 136 cycles behind its push: a piece has to be
// four times that.
constexpr double kPiece = 4 * (132 + 136);

// 128 rows for each MXU: 256 of two take 128 cycles, as long as latching their weights.
TEST(Pieces, HideTheNextWeights) {
  MxuShape two, one;
  one.count = 1;
  EXPECT_EQ(piecesOf(1024, 4 * kMebibyte, 8 * kPiece, two), 4);
  EXPECT_EQ(piecesOf(1024, 4 * kMebibyte, 8 * kPiece, one), 8);
  EXPECT_EQ(piecesOf(511, 4 * kMebibyte, 8 * kPiece, two), 1);
}

TEST(Pieces, HaveWholeGroupsOfEightRows) {
  MxuShape mxu;
  EXPECT_EQ(piecesOf(1000, 4 * kMebibyte, 8 * kPiece, mxu), 1);
  EXPECT_EQ(piecesOf(1040, 4 * kMebibyte, 8 * kPiece, mxu), 2);
}

TEST(Pieces, AreWorkForAFilledPipeline) {
  MxuShape mxu;
  EXPECT_EQ(piecesOf(1024, 4 * kMebibyte, 4 * kPiece, mxu), 4);
  EXPECT_EQ(piecesOf(1024, 4 * kMebibyte, 4 * kPiece - 1, mxu), 2);
  EXPECT_EQ(piecesOf(1024, 4 * kMebibyte, 2 * kPiece - 1, mxu), 1);
}

// Four tiles of weights take four times as long, for four times as many rows.
TEST(Pieces, OfLargerMxus) {
  MxuShape mxu;
  mxu.tiles = 2;
  EXPECT_EQ(piecesOf(1024, 4 * kMebibyte, 64 * kPiece, mxu), 1);
  EXPECT_EQ(piecesOf(2048, 4 * kMebibyte, 64 * kPiece, mxu), 2);
}

TEST(Pieces, PayForCodeOfTheirOwn) {
  MxuShape mxu;
  EXPECT_EQ(piecesOf(1024, kMebibyte, 8 * kPiece, mxu), 4);
  EXPECT_EQ(piecesOf(1024, kMebibyte - 1, 8 * kPiece, mxu), 1);
}

} // namespace
} // namespace systole
