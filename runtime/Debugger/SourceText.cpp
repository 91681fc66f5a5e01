// Reading of source files.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/SourceText.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace systole::debugger {

// Paths are those of the program, which may be untrusted: devices and huge files are not read.
static constexpr uintmax_t kMostBytes = 16 << 20;

std::vector<SourceLine> sourceLines(absl::string_view location, int64_t around) {
  const std::vector<std::string> parts = absl::StrSplit(location, ':');
  int64_t line;
  if (parts.size() < 2 || !absl::SimpleAtoi(parts[1], &line) || line < 1)
    return {};
  std::error_code error;
  if (!std::filesystem::is_regular_file(parts[0], error) ||
      std::filesystem::file_size(parts[0], error) > kMostBytes || error)
    return {};
  std::ifstream file(parts[0]);
  std::vector<SourceLine> lines;
  bool isThere = false;
  std::string text;
  for (int64_t number = 1; number - around <= line && std::getline(file, text); ++number) {
    isThere |= number == line;
    if (number + around >= line)
      lines.push_back({number, text});
  }
  return isThere ? lines : std::vector<SourceLine>();
}

} // namespace systole::debugger
