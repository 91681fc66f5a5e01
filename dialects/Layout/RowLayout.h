// Row-linear layout: the positions of a tensor's elements in device memory.
//
// The dimension minorToMajor[0] (C elements) lies along the 128 lanes; all
// others form R rows, minorToMajor[1] varying fastest. Element (r, c) is in
// logical row r * ceil(C / 128) + c / 128, lane c % 128, before padding. A tensor
// owns a multiple of eight logical rows. Elements of 32 bits fill a row of 512 bytes;
// 16-bit logical rows 2p and 2p+1 are the low and high halves of the cells of
// physical row p; 8-bit logical rows 4p .. 4p+3 their bytes from the lowest.
// Elements of 64 and 128 bits are two and four planes, one behind the other: the lowest words
// first, each plane as a tensor of that shape with elements of 32 bits.
//
// DMA starts at rows of 512 bytes. So that each index of an outer dimension of a
// narrow tensor starts there, one inner dimension is padded (`RowPadding`).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_LAYOUT_ROWLAYOUT_H
#define SYSTOLE_DIALECTS_LAYOUT_ROWLAYOUT_H

#include <cstdint>
#include <span>

#include "dialects/Layout/MachineShape.h"

namespace systole {

// Padding between the logical rows of a tensor: of every `period` rows the first `used` hold
// elements. Dense row r is row r / used * period + r % used.
struct RowPadding {
  int64_t used = 1, period = 1;

  constexpr bool isNone() const { return used == period; }
  // Of a number of dense rows that divides `used`, or is a multiple of it, the rows with padding.
  constexpr int64_t padded(int64_t rows) const {
    return rows % used == 0 ? rows / used * period : rows;
  }
  // The same without padding behind the last one: memory of as many rows at the same places may
  // have none there.
  constexpr int64_t occupied(int64_t rows) const { return rows <= used ? rows : padded(rows); }
  constexpr int64_t rowOf(int64_t dense) const { return dense / used * period + dense % used; }

  friend constexpr bool operator==(const RowPadding &, const RowPadding &) = default;
};

// Finds the padding of a tensor whose extents are given from the innermost on: first groups of 128
// lanes, then the dimensions of the rows. The first of them that takes at most a fifth more rows
// if it is rounded up is the one that is padded. The outermost dimension never needs it.
class RowPaddingBuilder {
public:
  // For elements of `bits` bits.
  constexpr explicit RowPaddingBuilder(int bits) : packing(bits < 32 ? 32 / bits : 1) {}

  // Adds the next dimension; all but the outermost one.
  constexpr void add(int64_t extent) {
    const int64_t unit = packing / divisor(rows);
    const int64_t rounded = (extent + unit - 1) / unit * unit;
    if (rows * extent % packing != 0 && 5 * (rounded - extent) <= rounded && padding.isNone())
      padding = {rows * extent, rows * rounded};
    rows *= padding.isNone() ? extent : packing;
  }
  constexpr RowPadding get() const { return padding; }

private:
  // The greatest common divisor of `count` and the packing, a power of two.
  constexpr int64_t divisor(int64_t count) const {
    int64_t result = packing;
    while (count % result != 0)
      result /= 2;
    return result;
  }

  int64_t packing;  // logical rows in 512 bytes
  int64_t rows = 1; // of the dimensions so far; where they are padded, a multiple of the packing
  RowPadding padding;
};

// The padding of a tensor of row-major `shape` and elements of `bits` bits.
constexpr RowPadding rowPadding(std::span<const int64_t> shape, int bits) {
  RowPaddingBuilder padding(bits);
  for (size_t d = shape.size(); d-- > 1;)
    padding.add(d + 1 == shape.size() ? (shape[d] + kLanes - 1) / kLanes : shape[d]);
  return padding.get();
}

// Logical rows between neighbours along dimension `dim`, not the last one, of such a tensor.
constexpr int64_t rowPitch(std::span<const int64_t> shape, int bits, size_t dim) {
  int64_t rows = (shape.back() + kLanes - 1) / kLanes;
  for (size_t d = shape.size() - 1; --d > dim;)
    rows *= shape[d];
  return rowPadding(shape, bits).padded(rows);
}

// Whether as many dense rows lie at the same places with either padding. Padding behind the last
// row moves none.
constexpr bool haveSamePlaces(int64_t rows, const RowPadding &a, const RowPadding &b) {
  auto moves = [rows](const RowPadding &padding) { return padding.used < rows; };
  return (!moves(a) || a.isNone()) ? (!moves(b) || b.isNone()) : a == b;
}

// A tensor as a matrix of rows by lanes. Rank 0 is 1 x 1.
struct RowShape {
  int64_t rows = 1;    // R
  int64_t columns = 1; // C
  RowPadding padding;

  // Logical rows of one of the R rows, without padding.
  constexpr int64_t rowsPerRow() const { return (columns + kLanes - 1) / kLanes; }
  // Padding included, a multiple of eight.
  constexpr int64_t logicalRows() const {
    return (padding.padded(rows * rowsPerRow()) + kSublanes - 1) / kSublanes * kSublanes;
  }
  // Rows of 512 bytes for elements of `bits` (8, 16, 32, 64 or 128) bits.
  constexpr int64_t physicalRows(int bits) const { return logicalRows() * bits / 32; }
};

// `minorToMajor` is a permutation of the dimensions, minor-most first; elements have `bits` bits.
constexpr RowShape rowShape(std::span<const int64_t> dims, std::span<const int64_t> minorToMajor,
                            int bits) {
  RowShape shape;
  if (dims.empty())
    return shape;
  shape.columns = dims[minorToMajor[0]];
  RowPaddingBuilder padding(bits);
  int64_t inner = shape.rowsPerRow();
  for (int64_t dim : minorToMajor.subspan(1)) {
    padding.add(inner);
    inner = dims[dim];
    shape.rows *= inner;
  }
  shape.padding = padding.get();
  return shape;
}

// Logical rows of a tensor with elements of 32 bits, a multiple of eight; 0 if it has no elements.
constexpr int64_t logicalRows(std::span<const int64_t> dims,
                              std::span<const int64_t> minorToMajor) {
  return rowShape(dims, minorToMajor, 32).logicalRows();
}

// Rows of 512 bytes of a tensor whose elements take `bits` (8, 16, 32, 64 or 128) bits.
constexpr int64_t physicalRows(std::span<const int64_t> dims, std::span<const int64_t> minorToMajor,
                               int bits) {
  return rowShape(dims, minorToMajor, bits).physicalRows(bits);
}

} // namespace systole

#endif // SYSTOLE_DIALECTS_LAYOUT_ROWLAYOUT_H
