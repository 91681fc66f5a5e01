// Arrays on the host with arbitrary strides.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_STRIDES_H
#define SYSTOLE_RUNTIME_CLIENT_STRIDES_H

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace systole {

// Strides in bytes of a dense array in row-major order.
std::vector<int64_t> denseStrides(std::span<const int64_t> dims, int64_t elementBytes);
// The same in another order of dimensions. InvalidArgument if it is not a permutation.
absl::StatusOr<std::vector<int64_t>> denseStrides(std::span<const int64_t> dims,
                                                  int64_t elementBytes,
                                                  std::span<const int64_t> minorToMajor);

// Whether both strides address the same elements: those of dimensions of size 1 are irrelevant.
bool sameElements(std::span<const int64_t> dims, std::span<const int64_t> a,
                  std::span<const int64_t> b);

// Copies each element of an array; strides may be negative or zero.
void copyStrided(std::span<const int64_t> dims, int64_t elementBytes, const uint8_t *from,
                 std::span<const int64_t> fromStrides, uint8_t *to,
                 std::span<const int64_t> toStrides);

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_STRIDES_H
