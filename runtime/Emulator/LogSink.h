// Where the log messages of a run go.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_LOGSINK_H
#define SYSTOLE_RUNTIME_EMULATOR_LOGSINK_H

#include <cstdint>
#include <functional>
#include <string>

namespace systole {

struct LoggedMessage {
  int core = 0;      // of the program
  int64_t cycle = 0; // at which its last word was logged
  std::string text;  // without a newline at its end
};

using LogSink = std::function<void(const LoggedMessage &)>;

// The line for a message, with its core in front if the program has several, and a newline.
std::string lineOf(const LoggedMessage &message, int cores);

// Writes each message to standard error.
LogSink logToStderr(int cores);

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_LOGSINK_H
