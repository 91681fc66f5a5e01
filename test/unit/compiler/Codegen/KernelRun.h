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

/// A dense row-major array and its element type by name.
struct Array {
  std::string dtype;
  Dims dims;
  std::vector<uint8_t> bytes;

  template <typename T> static Array of(std::string dtype, Dims dims, const std::vector<T> &values) {
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
  Array array; // what HBM holds before
  Dims block;
  std::string map; // "(d0) -> (d0, 0)"; empty for block 0 of everything
  Dims stride{}, offset{}; // of a window
};

/// `!kernel.buffer<2x3xf32, vmem>`
std::string buffer(const Dims &dims, const std::string &dtype, const std::string &space = "vmem");

/// A kernel whose body, in which grid indices are %g0, %g1, ... and operands %a0, %a1, ..., is
/// `body`; as a module with a program that calls it once.
std::string kernelModule(const Dims &grid, const std::vector<Operand> &operands,
                         const std::string &body);

/// Compiles the module for `machine`, runs it on a v3 and gives the operands' contents
/// afterwards. Fails the test (and gives what was there) if anything does not work.
std::vector<Array> runKernel(const Dims &grid, const std::vector<Operand> &operands,
                             const std::string &body, const codegen::Machine &machine);
std::vector<Array> runKernel(const Dims &grid, const std::vector<Operand> &operands,
                             const std::string &body);

/// A machine as target v3 describes it.
codegen::Machine v3();

/// A map stage over `inputs` and `outputs` buffers of one shape, by identity.
std::string mapStage(const Dims &dims, const std::vector<std::string> &inputs,
                     const std::vector<std::string> &inputTypes, const std::string &output,
                     const std::string &outputType, const std::string &body);

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_COMPILER_CODEGEN_KERNELRUN_H
