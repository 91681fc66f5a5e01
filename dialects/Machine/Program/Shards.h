// How arrays of a program's signature are divided among its cores: in equal parts, each of which
// one core or several have.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_SHARDS_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_SHARDS_H

#include <cstdint>
#include <span>

#include "absl/status/status.h"

namespace systole {

namespace program {
class Tensor;
} // namespace program

// Whether each core has a part of the array, else all of it.
bool isSharded(const program::Tensor &tensor);

// InvalidArgument if the parts of `cores` cores are not those of an array. `tensor` has passed
// checkTensor. The functions below are for those that have passed this check.
absl::Status checkShards(const program::Tensor &tensor, int cores);

// The tensor with the dimensions of the whole array, which is not divided.
program::Tensor wholeTensor(const program::Tensor &tensor);

// The position of a core's part among the parts: an index for each dimension. Empty if the array is
// not divided.
std::span<const int64_t> positionOf(const program::Tensor &tensor, int core);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_SHARDS_H
