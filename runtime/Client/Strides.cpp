// Copies between arrays of different strides, dimension by dimension.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Strides.h"

#include <algorithm>
#include <cstring>

namespace systole {

std::vector<int64_t> denseStrides(std::span<const int64_t> dims, int64_t elementBytes) {
  std::vector<int64_t> strides(dims.size());
  for (size_t d = dims.size(); d-- > 0; elementBytes *= std::max<int64_t>(dims[d], 1))
    strides[d] = elementBytes;
  return strides;
}

absl::StatusOr<std::vector<int64_t>> denseStrides(std::span<const int64_t> dims,
                                                  int64_t elementBytes,
                                                  std::span<const int64_t> minorToMajor) {
  std::vector<int64_t> strides(dims.size(), 0);
  bool permutation = minorToMajor.size() == dims.size();
  for (size_t i = 0; permutation && i < dims.size(); ++i) {
    const int64_t d = minorToMajor[i];
    permutation = d >= 0 && size_t(d) < dims.size() && strides[size_t(d)] == 0;
    if (!permutation)
      break;
    strides[size_t(d)] = elementBytes;
    elementBytes *= std::max<int64_t>(dims[size_t(d)], 1);
  }
  if (!permutation)
    return absl::InvalidArgumentError("the layout is no order of the array's dimensions");
  return strides;
}

bool sameElements(std::span<const int64_t> dims, std::span<const int64_t> a,
                  std::span<const int64_t> b) {
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] > 1 && a[d] != b[d])
      return false;
  return true;
}

static void copyElements(std::span<const int64_t> dims, int64_t elementBytes, const uint8_t *from,
                         std::span<const int64_t> fromStrides, uint8_t *to,
                         std::span<const int64_t> toStrides) {
  if (dims.empty()) {
    std::memcpy(to, from, size_t(elementBytes));
    return;
  }
  for (int64_t i = 0; i < dims[0]; ++i)
    copyElements(dims.subspan(1), elementBytes, from + i * fromStrides[0], fromStrides.subspan(1),
                 to + i * toStrides[0], toStrides.subspan(1));
}

void copyStrided(std::span<const int64_t> dims, int64_t elementBytes, const uint8_t *from,
                 std::span<const int64_t> fromStrides, uint8_t *to,
                 std::span<const int64_t> toStrides) {
  // The outer dimensions of an empty array may be of any size.
  if (std::ranges::find(dims, 0) == dims.end())
    copyElements(dims, elementBytes, from, fromStrides, to, toStrides);
}

} // namespace systole
