// Values of the operations of a program's source.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_VALUES_H
#define SYSTOLE_RUNTIME_DEBUGGER_VALUES_H

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/Device/HostArray.h"

namespace systole::debugger {

// Kernels keep most values in registers, for some cycles: they are computed anew, by the program
// with code that hands them out.
class Values {
public:
  virtual ~Values() = default;

  // The result of an operation, "add.12", at an execution from 0 on: the iteration of a loop.
  // InvalidArgument if there is no such operation or execution.
  virtual absl::StatusOr<HostArray> read(const std::string &name, int64_t execution) = 0;
  // The line of an operation, "model.py:12:3", and its name stack.
  struct Place {
    std::string source, nameStack;
  };
  virtual absl::StatusOr<Place> placeOf(const std::string &name) = 0;
  // The code of a kernel at a level: "stablehlo", the operations of a source line, "kernel" or
  // "core". InvalidArgument if there is no such level or code.
  virtual absl::StatusOr<std::string> ir(const std::string &level, const std::string &kernel,
                                         const std::string &source) = 0;
  // A line for each operation whose name has a text in it: its name, type and place.
  virtual absl::StatusOr<std::string> list(absl::string_view text) = 0;
};

// "add.12[3, :2]" or "add.12@5[3]" in its parts; nothing if the text does not begin with such a
// name.
struct ValueName {
  std::string name;
  int64_t execution = 0;
  absl::string_view rest; // "[3, :2]"
};
std::optional<ValueName> parseValueName(absl::string_view text);

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_VALUES_H
