// Sizes of elements and shapes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Layout/ElementTypes.h"

namespace systole {
namespace {

constexpr int64_t kMaxElements = int64_t(1) << 48;

} // namespace

std::optional<int> elementBits(std::string_view dtype) {
  if (dtype == "f32" || dtype == "i32" || dtype == "ui32")
    return 32;
  if (dtype == "i64" || dtype == "ui64" || dtype == "f64" || dtype == "complex<f32>")
    return 64;
  if (dtype == "bf16" || dtype == "f16" || dtype == "i16" || dtype == "ui16")
    return 16;
  if (dtype == "i1" || dtype == "i8" || dtype == "ui8")
    return 8;
  return std::nullopt;
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
