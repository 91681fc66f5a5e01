// The log messages of a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_LOGMESSAGES_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_LOGMESSAGES_H

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole {

// InvalidArgument if it has not a text around each value, or if a value has no element type of at
// most 32 bits, or too many elements.
absl::Status checkLogMessage(const program::LogMessage &message);

// The words that it consists of, at least 1.
int64_t wordsOf(const program::LogMessage &message);

// The message with the values that the words are. Numbers of floats are the shortest that give the
// same f32. Values with their types are literals as XLA writes them: `f32[] 4.5`, `s32[3] {1, 2,
// 3}`.
std::string renderLog(const program::LogMessage &message, std::span<const uint32_t> words);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_LOGMESSAGES_H
