// Sizes of elements and shapes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Layout/ElementTypes.h"

#include <algorithm>

namespace systole {
namespace {

constexpr int64_t kMaxElements = int64_t(1) << 48;

constexpr std::string_view kFloats8[] = {"f8E3M4",     "f8E4M3", "f8E4M3B11FNUZ", "f8E4M3FN",
                                         "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ",    "f8E8M0FNU"};

} // namespace

std::optional<int> elementBits(std::string_view dtype) {
  if (dtype == "f32" || dtype == "i32" || dtype == "ui32")
    return 32;
  if (dtype == "i64" || dtype == "ui64" || dtype == "f64" || dtype == "complex<f32>")
    return 64;
  if (dtype == "complex<f64>")
    return 128;
  if (dtype == "bf16" || dtype == "f16" || dtype == "i16" || dtype == "ui16")
    return 16;
  if (dtype == "i1" || dtype == "i8" || dtype == "ui8" || valueBits(dtype) < 8 ||
      std::ranges::find(kFloats8, dtype) != std::end(kFloats8))
    return 8;
  return std::nullopt;
}

int valueBits(std::string_view dtype) {
  if (dtype == "i2" || dtype == "ui2")
    return 2;
  if (dtype == "i4" || dtype == "ui4" || dtype == "f4E2M1FN")
    return 4;
  if (dtype == "f6E2M3FN" || dtype == "f6E3M2FN")
    return 6;
  return 8;
}

std::optional<int64_t> elementCount(std::span<const int64_t> dims) {
  // The other dimensions of an empty array are bounded too: row arithmetic
  // multiplies them.
  int64_t product = 1;
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    if (dim == 0)
      empty = true;
    else if (__builtin_mul_overflow(product, dim, &product) || product > kMaxElements)
      return std::nullopt;
  }
  return empty ? 0 : product;
}

} // namespace systole
