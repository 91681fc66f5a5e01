// The memory of a program's arguments, results and constants, on the device and on the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_TENSORLAYOUT_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_TENSORLAYOUT_H

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "dialects/Layout/RowLayout.h"

namespace systole {

namespace program {
class DynamicDim;
class Tensor;
} // namespace program

// The preconditions of the functions below: a known type, non-negative
// dimensions, a size that fits memory, and a layout that is a permutation of
// them. InvalidArgument names the violated one.
absl::Status checkTensor(const program::Tensor &tensor);

// The sizes of its dimensions as the tensor lies, in their order: with a row tile of k the last two
// are divided and multiplied by k. `tensor` has passed checkTensor.
std::vector<int64_t> lyingDims(const program::Tensor &tensor);

// A tensor as a matrix of rows by lanes. `tensor` has passed checkTensor.
RowShape rowShapeOf(const program::Tensor &tensor);

// Rows of 512 bytes that a tensor takes. `tensor` has passed checkTensor.
int64_t deviceRows(const program::Tensor &tensor);

// The regions of HBM that hold a tensor, one for each plane, in the order of the planes. All
// planes take the same number of rows. `tensor` has passed checkTensor.
struct Planes {
  std::array<int32_t, 4> regions;
  int count;    // of planes
  int64_t rows; // of 512 bytes, of one plane

  std::span<const int32_t> all() const { return {regions.data(), size_t(count)}; }
};
Planes planesOf(const program::Tensor &tensor);

// The scalar that is the size of a dimension.
program::Tensor sizeTensor(const program::DynamicDim &dim);

// Whether arrays of these sizes are padded to the tensor: equal to its own, or less in dynamic
// dimensions.
bool hasRoomFor(const program::Tensor &tensor, std::span<const int64_t> dims);

// Bytes of the tensor in dense row-major form. `tensor` has passed checkTensor.
int64_t hostBytes(const program::Tensor &tensor);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_TENSORLAYOUT_H
