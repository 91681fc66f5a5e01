// Operands of commands: tensors, their elements, registers and words of memories.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_OPERAND_H
#define SYSTOLE_RUNTIME_DEBUGGER_OPERAND_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dialects/Machine/Program/Program.h"
#include "runtime/Device/HostArray.h"
#include "runtime/Emulator/Emulator.h"

namespace systole::debugger {

// An array in memory with the text behind its name, such as "[3, :2]".
struct NamedTensor {
  program::Tensor tensor;
  absl::string_view rest;
};

// An argument or result, "arg0", "out1", or the name that the framework gave it; or the memory of
// an array that is sent or received, "send4". InvalidArgument if there is none.
absl::StatusOr<NamedTensor> findTensor(const Program &program, absl::string_view text);

// Indices and ranges of dimensions as NumPy writes them, "[3, :2, ::-1]", the last ones left out;
// "" is all of it. InvalidArgument if they are none of the array.
absl::StatusOr<HostArray> sliced(const HostArray &array, absl::string_view text);

// The text that names element `index` of the first dimension that `text` leaves of an array: 3 of
// "[1]" is "[1, 3]", and 0 of "[2:4]" is "[2]". InvalidArgument as sliced(), or if there is no such
// dimension.
absl::StatusOr<std::string> elementOf(const std::vector<int64_t> &dims, absl::string_view text,
                                      int64_t index);

// The words of memory that a text names: a tensor or elements of it, or "vmem:128+256", words from
// one on.
absl::StatusOr<std::vector<WatchedWords>> wordsOf(const Program &program, absl::string_view text);

// The number behind a register's letter, less than `count`: 3 of "s3" for the prefix "s".
std::optional<int> registerIn(absl::string_view text, absl::string_view prefix, int count);

// "vmem:128+256" alone.
std::optional<WatchedWords> parseWords(absl::string_view text);

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_OPERAND_H
