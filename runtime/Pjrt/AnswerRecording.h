// Records what callbacks answer, so that the debugger runs their program again without them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_ANSWERRECORDING_H
#define SYSTOLE_RUNTIME_PJRT_ANSWERRECORDING_H

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "dialects/Machine/Program/Program.h"
#include "runtime/Client/HostChannels.h"

namespace systole::pjrt {

// Begins or ends a recording, of the first run from here on of a program that receives from the
// host: of all of its cores. Both drop a recording that there is.
void recordAnswers(bool on);

// A run begins, with functions for each core.
void recordIfFirst(const program::ProgramHeader &header, std::vector<HostChannels> &channels);

// Writes a file as HostAnswers reads it, if such a run has begun.
absl::Status writeAnswers(const std::string &path);

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_ANSWERRECORDING_H
