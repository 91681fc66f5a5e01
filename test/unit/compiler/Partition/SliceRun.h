// Compiles programs that are divided among cores, and runs them with arrays of each core.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_COMPILER_PARTITION_SLICERUN_H
#define SYSTOLE_TEST_UNIT_COMPILER_PARTITION_SLICERUN_H

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "runtime/Emulator/Emulator.h"

namespace systole::test {

using Bytes = std::vector<uint8_t>;

template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <typename T> std::vector<T> valuesOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// A manual computation over all of `cores` cores, which has the parts [d0, ...] of arrays that are
// divided along their first dimension: `body` computes %r of type `result` from %x of type
// `argument`, in MLIR's syntax.
std::string manualProgram(int cores, const std::string &argument, const std::string &result,
                          const std::string &body);

struct SliceResult {
  // By core, of the program's results in order.
  std::vector<std::vector<Bytes>> results;
  RunStats stats;
  std::shared_ptr<const Program> program;
};

// Runs a program on "v3-8" with arguments by core, each of the program's in order. A failure of the
// test if it does not compile or run.
SliceResult runOnSlice(const std::string &text, const std::vector<std::vector<Bytes>> &arguments,
                       int threads = 1);

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_COMPILER_PARTITION_SLICERUN_H
