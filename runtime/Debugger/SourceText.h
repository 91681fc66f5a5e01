// Lines of the files that a program comes from.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_SOURCETEXT_H
#define SYSTOLE_RUNTIME_DEBUGGER_SOURCETEXT_H

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace systole::debugger {

struct SourceLine {
  int64_t number = 0; // from 1
  std::string text;
};

// The line of a location, "path/model.py:12:3", and so many lines before and behind it. None if the
// file is not there, is no text of a reasonable size, or has no such line.
std::vector<SourceLine> sourceLines(absl::string_view location, int64_t around = 0);

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_SOURCETEXT_H
