// Runs a kernel, given as text, on the emulated machine.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_COMPILER_CODEGEN_KERNELRUN_H
#define SYSTOLE_TEST_UNIT_COMPILER_CODEGEN_KERNELRUN_H

#include "compiler/Codegen/Machine.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace systole::test {

using Dims = std::vector<int64_t>;
int64_t count(const Dims &dims);

/// A dense row-major array and the name of its element type.
struct Array {
  std::string dtype;
  Dims dims;
  std::vector<uint8_t> bytes;

  template <typename T>
  static Array of(std::string dtype, Dims dims, const std::vector<T> &values) {
    Array array{std::move(dtype), std::move(dims), {}};
    array.bytes.resize(values.size() * sizeof(T));
    std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
    return array;
  }
  template <typename T> std::vector<T> values() const {
    std::vector<T> result(bytes.size() / sizeof(T));
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
};

struct Operand {
  std::string role;
  Array array; // the initial contents of HBM
  Dims block;
  std::string map;         // "(d0) -> (d0, 0)"; empty for a single block
  Dims stride{}, offset{}; // of a window
};

/// `!kernel.buffer<2x3xf32, vmem>`
std::string buffer(const Dims &dims, const std::string &dtype, const std::string &space = "vmem");

/// A module with a kernel and a program that calls it once. `body` is the kernel's body, in which
/// grid indices are %g0, %g1, ... and operands %a0, %a1, ....
std::string kernelModule(const Dims &grid, const std::vector<Operand> &operands,
                         const std::string &body);

/// Compiles the module for `machine`, runs it on a v3 and returns the operands' contents
/// afterwards. On an error, fails the test and returns the initial contents.
std::vector<Array> runKernel(const Dims &grid, const std::vector<Operand> &operands,
                             const std::string &body, const codegen::Machine &machine);
std::vector<Array> runKernel(const Dims &grid, const std::vector<Operand> &operands,
                             const std::string &body);

/// The machine of target v3.
codegen::Machine v3();

/// A map stage over `inputs` and `outputs` buffers of one shape, by identity.
std::string mapStage(const Dims &dims, const std::vector<std::string> &inputs,
                     const std::vector<std::string> &inputTypes, const std::string &output,
                     const std::string &outputType, const std::string &body);

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_COMPILER_CODEGEN_KERNELRUN_H
