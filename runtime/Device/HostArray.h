// A dense row-major array in host memory.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_HOSTARRAY_H
#define SYSTOLE_RUNTIME_DEVICE_HOSTARRAY_H

#include <cstdint>
#include <string>
#include <vector>

namespace systole {

namespace program {
class Tensor;
} // namespace program

struct HostArray {
  std::string dtype;          // as in program.proto: "f32", "bf16", "i1", ...
  std::vector<int64_t> dims;  // empty for a scalar
  std::vector<uint8_t> bytes; // little-endian; i1 takes a byte per element
};

// The array with other sizes of its dimensions: cut, or with zeros at their ends.
HostArray resized(const HostArray &array, std::vector<int64_t> dims);

// "tensor<3x4xf32>": an element type and a shape as messages show them.
std::string typeString(const HostArray &array);
std::string typeString(const program::Tensor &tensor);

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_HOSTARRAY_H
