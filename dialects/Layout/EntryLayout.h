// In which order the dimensions of a program's arguments and results lie.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_LAYOUT_ENTRYLAYOUT_H
#define SYSTOLE_DIALECTS_LAYOUT_ENTRYLAYOUT_H

#include <cstdint>
#include <span>
#include <vector>

namespace systole {

// Another order than row-major must divide the rows of an array by this much,
inline constexpr int64_t kLayoutGain = 4;
// and save this many logical rows (64 KiB of 32-bit elements). Less is not worth the
// transpositions where it meets arrays in row-major order.
inline constexpr int64_t kLayoutSavedRows = 128;

// The order of the dimensions `dims` (none negative) from minor to major that
// every program expects of an argument and gives to a result of that shape. It depends on
// nothing else, so buffers pass between programs, and an array, its mask and its conversions
// lie alike; all targets have 128 lanes. Row-major order, or one other dimension along the
// lanes and the rest in row-major order.
std::vector<int64_t> entryOrder(std::span<const int64_t> dims);

} // namespace systole

#endif // SYSTOLE_DIALECTS_LAYOUT_ENTRYLAYOUT_H
