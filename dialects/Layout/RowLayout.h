// Row-linear layout: the positions of a tensor's elements in device memory.
//
// The dimension minorToMajor[0] (C elements) lies along the 128 lanes; all
// others form R rows, minorToMajor[1] varying fastest. Element (r, c) is in
// logical row r * ceil(C / 128) + c / 128, lane c % 128. A tensor owns a
// multiple of eight logical rows. Elements of 32 bits fill a row of 512 bytes;
// 16-bit logical rows 2p and 2p+1 are the low and high halves of the cells of
// physical row p; 8-bit logical rows 4p .. 4p+3 their bytes from the lowest.
// Integers of 64 bits are two planes, the low words and behind them the high
// words, each of which lies as a tensor of that shape with elements of 32 bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_LAYOUT_ROWLAYOUT_H
#define SYSTOLE_DIALECTS_LAYOUT_ROWLAYOUT_H

#include <cstdint>
#include <span>

#include "dialects/Layout/MachineShape.h"

namespace systole {

// A tensor as a matrix of rows by lanes. Rank 0 is 1 x 1.
struct RowShape {
  int64_t rows = 1;    // R
  int64_t columns = 1; // C

  // Logical rows of one of the R rows.
  constexpr int64_t rowsPerRow() const { return (columns + kLanes - 1) / kLanes; }
  constexpr int64_t logicalRows() const {
    return (rows * rowsPerRow() + kSublanes - 1) / kSublanes * kSublanes;
  }
  // Rows of 512 bytes for elements of `bits` (8, 16, 32 or 64) bits.
  constexpr int64_t physicalRows(int bits) const { return logicalRows() * bits / 32; }
};

// `minorToMajor` is a permutation of the dimensions, minor-most first.
constexpr RowShape rowShape(std::span<const int64_t> dims, std::span<const int64_t> minorToMajor) {
  RowShape shape;
  if (dims.empty())
    return shape;
  shape.columns = dims[minorToMajor[0]];
  for (int64_t dim : minorToMajor.subspan(1))
    shape.rows *= dims[dim];
  return shape;
}

// Logical rows of a tensor, a multiple of eight; 0 if it has no elements.
constexpr int64_t logicalRows(std::span<const int64_t> dims,
                              std::span<const int64_t> minorToMajor) {
  return rowShape(dims, minorToMajor).logicalRows();
}

// Rows of 512 bytes of a tensor whose elements take `bits` (8, 16, 32 or 64) bits.
constexpr int64_t physicalRows(std::span<const int64_t> dims, std::span<const int64_t> minorToMajor,
                               int bits) {
  return rowShape(dims, minorToMajor).physicalRows(bits);
}

} // namespace systole

#endif // SYSTOLE_DIALECTS_LAYOUT_ROWLAYOUT_H
