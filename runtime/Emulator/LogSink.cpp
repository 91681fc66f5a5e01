// Where the log messages of a run go.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/LogSink.h"

#include <cstdio>

#include "absl/strings/str_cat.h"

namespace systole {

std::string lineOf(const LoggedMessage &message, int cores) {
  return absl::StrCat(cores > 1 ? absl::StrCat("core ", message.core, ": ") : "", message.text,
                      "\n");
}

LogSink logToStderr(int cores) {
  return [cores](const LoggedMessage &message) {
    // One call for each, so that lines of several processes stay whole.
    const std::string line = lineOf(message, cores);
    std::fwrite(line.data(), 1, line.size(), stderr);
  };
}

} // namespace systole
