// Conditions of breakpoints.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_CONDITION_H
#define SYSTOLE_RUNTIME_DEBUGGER_CONDITION_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/Device/HostArray.h"
#include "runtime/Emulator/Emulator.h"

namespace systole::debugger {

// Comparisons that have to hold together: "s1 > 3 and out0[3, 5] != 0". An operand is a number,
// "cycle", a register or flag, or a tensor or elements of it; of several elements it is enough that
// one compares so. "isnan(out0)" and "isinf(out0)" ask for such a number.
class Condition {
public:
  // The present value of an operand that has a meaning of its own; nothing for others.
  using Read = std::function<absl::StatusOr<std::optional<HostArray>>(const std::string &operand)>;

  // InvalidArgument if the text is none, or names what neither the program nor `read` has, which
  // may be null.
  static absl::StatusOr<Condition> parse(const Emulator &emulator, absl::string_view text,
                                         Read read = nullptr);

  // In the present state of a core.
  absl::StatusOr<bool> holds(const Emulator &emulator, int core = 0) const;

  const std::string &text() const { return whole; }

private:
  enum class Kind : uint8_t { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual, NaN, Inf };
  struct Comparison {
    Kind kind;
    std::string left, right; // `right` is empty for NaN and Inf
  };
  static absl::StatusOr<Comparison> parseComparison(absl::string_view text);
  absl::StatusOr<std::vector<double>> numbersOf(const Emulator &emulator, int core,
                                                const std::string &operand) const;

  std::string whole;
  std::vector<Comparison> comparisons;
  Read read;
};

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_CONDITION_H
