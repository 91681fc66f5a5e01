// Values of the operations of a program's source.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Values.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace systole::debugger {

std::optional<ValueName> parseValueName(absl::string_view text) {
  ValueName parsed;
  const size_t bracket = std::min(text.find('['), text.size());
  absl::string_view name = absl::StripAsciiWhitespace(text.substr(0, bracket));
  parsed.rest = text.substr(bracket);
  if (const size_t at = name.find('@'); at != absl::string_view::npos) {
    if (!absl::SimpleAtoi(name.substr(at + 1), &parsed.execution) || parsed.execution < 0)
      return std::nullopt;
    name = name.substr(0, at);
  }
  const size_t point = name.rfind('.');
  int64_t number;
  if (point == absl::string_view::npos || point == 0 || !absl::ascii_isalpha(name.front()) ||
      !absl::SimpleAtoi(name.substr(point + 1), &number))
    return std::nullopt;
  parsed.name = std::string(name);
  return parsed;
}

} // namespace systole::debugger
