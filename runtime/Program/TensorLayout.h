// Sizes of the tensors that a program takes and gives.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PROGRAM_TENSORLAYOUT_H
#define SYSTOLE_RUNTIME_PROGRAM_TENSORLAYOUT_H

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "runtime/Program/program.pb.h"

namespace systole {

// Bytes of an element in memory, packed: 1 (also for i1), 2 or 4.
std::optional<int> elementBytes(absl::string_view dtype);

// A tensor as the matrix that its layout makes of it.
struct TensorShape {
  int64_t rows = 1;     // product of the dimensions that are not minor-most
  int64_t columns = 1;  // extent of the minor-most dimension
  int elementBytes = 4;

  int64_t rowTiles() const { return (columns + 127) / 128; }
  // Rows of 128 elements.
  int64_t logicalRows() const { return rows * rowTiles(); }
  // Rows of 512 bytes, narrow types packed.
  int64_t physicalRows() const {
    const int64_t pack = 4 / elementBytes;
    return (logicalRows() + pack - 1) / pack;
  }
};

// InvalidArgument for an unknown dtype, a negative or absurd dimension, or a
// layout that is no permutation of the dimensions.
absl::StatusOr<TensorShape> tensorShape(const program::Tensor &tensor);

}  // namespace systole

#endif  // SYSTOLE_RUNTIME_PROGRAM_TENSORLAYOUT_H
