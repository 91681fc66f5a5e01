// The order of the dimensions of a program's arguments and results in device memory.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_LAYOUT_ENTRYLAYOUT_H
#define SYSTOLE_DIALECTS_LAYOUT_ENTRYLAYOUT_H

#include <cstdint>
#include <span>
#include <vector>

namespace systole {

// An order other than row-major has to divide the rows of an array by this factor,
inline constexpr int64_t kLayoutGain = 4;
// and save this many logical rows (64 KiB of 32-bit elements). Smaller savings do
// not pay for transpositions to and from row-major order.
inline constexpr int64_t kLayoutSavedRows = 128;

// The physical order of dimensions `dims` (none negative), from minor to major, of an
// argument or result of that shape. It depends on nothing else, unless the caller asks for
// another (`mhlo.layout_mode`, `entryOrderOf` of compiler/Layout/Order.h), so that programs can
// exchange buffers, and an array, its mask and its conversions have the same order; all targets
// have 128 lanes. Row-major order, or one other dimension along the lanes and the rest in
// row-major order: the innermost one that takes at most a quarter more rows than the best.
std::vector<int64_t> entryOrder(std::span<const int64_t> dims);

// Arrays whose rows have fewer elements than this do not share rows: each would be in so many
// pieces.
inline constexpr int64_t kLeastSharedLanes = 32;

// How many positions of the innermost row dimension lie side by side in each row of an array whose
// dimensions lie in the order `dims`, from major to minor: the row tile T(2,64) is 2. A power of
// two that fills the 128 lanes, divides the dimension and saves kLayoutSavedRows logical rows;
// otherwise 1.
int64_t rowTile(std::span<const int64_t> dims);

// The row tile of an argument or result of the shape `dims`: that of its entry order.
int64_t entryTile(std::span<const int64_t> dims);

} // namespace systole

#endif // SYSTOLE_DIALECTS_LAYOUT_ENTRYLAYOUT_H
