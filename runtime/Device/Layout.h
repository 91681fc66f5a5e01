// Row-linear layout: where the elements of a tensor are in device memory.
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
#ifndef SYSTOLE_RUNTIME_DEVICE_LAYOUT_H
#define SYSTOLE_RUNTIME_DEVICE_LAYOUT_H

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "absl/status/status.h"

namespace systole {

namespace program {
class Tensor;
} // namespace program

// A tensor as a matrix of rows by lanes. Rank 0 is 1 x 1.
struct RowShape {
  int64_t rows = 1;    // R
  int64_t columns = 1; // C

  // Logical rows that one of the R rows takes.
  constexpr int64_t rowsPerRow() const { return (columns + 127) / 128; }
  constexpr int64_t logicalRows() const { return (rows * rowsPerRow() + 7) / 8 * 8; }
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

// Bits of an element on the device (i1 is stored as 8-bit 0 or 1); nothing for
// a type that has no layout. The types are those of program.proto.
std::optional<int> elementBits(std::string_view dtype);

// Product of the dimensions; nothing if one is negative or it passes 2^48.
std::optional<int64_t> elementCount(std::span<const int64_t> dims);

// What the functions below rely on: a known type, non-negative dimensions, a
// size that fits memory, and a layout that is a permutation of them.
// InvalidArgument says which does not hold.
absl::Status checkTensor(const program::Tensor &tensor);

// Rows of 512 bytes that a tensor takes. `tensor` has passed checkTensor.
int64_t deviceRows(const program::Tensor &tensor);

// The regions of HBM that hold a tensor, one for each plane, in the order of the planes. All
// planes take the same number of rows. `tensor` has passed checkTensor.
struct Planes {
  std::array<int32_t, 2> regions;
  int count;    // of planes
  int64_t rows; // of 512 bytes, of one plane

  std::span<const int32_t> all() const { return {regions.data(), size_t(count)}; }
};
Planes planesOf(const program::Tensor &tensor);

// Bytes of the tensor in dense row-major form. `tensor` has passed checkTensor.
int64_t hostBytes(const program::Tensor &tensor);

// Writes a dense row-major array of hostBytes into deviceRows of device memory;
// what is not element becomes zero. i1 bytes other than 0 become 1.
void toDevice(const program::Tensor &tensor, const uint8_t *host, uint8_t *device);

// The reverse; padding is not looked at.
void fromDevice(const program::Tensor &tensor, const uint8_t *device, uint8_t *host);

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_LAYOUT_H
