// Arrays that a program sends to the host or receives from it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_TRANSFERARRAYS_H
#define SYSTOLE_RUNTIME_DEBUGGER_TRANSFERARRAYS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "dialects/Machine/Program/Program.h"

namespace systole::debugger {

// An array of a transfer as it is in HBM, on the device's side of the copy that moves it; nothing
// if no copy of a whole region does. A program may send from several places: the first one counts.
std::optional<program::Tensor> arrayOnDevice(const Program &program,
                                             const program::Tensor &transferred);

// The array that a text names, "send4", if it is one that is sent to the host; and the bundles that
// start the copies.
struct SentArray {
  program::Tensor onDevice;
  std::vector<int64_t> bundles;
  absl::string_view rest; // behind the name
};
std::optional<SentArray> findSent(const Program &program, absl::string_view text);

// The bundles at which operations of a line send the last of their arrays to the host: all of them
// have been computed. None if it sends nothing.
std::vector<int64_t> lastSendsFrom(const Program &program, absl::string_view file, int64_t line);

// The names of the arrays that operations of a line send to the host, "model.py:12", in the order
// of their channels.
std::vector<std::string> arraysSentFrom(const program::ProgramHeader &header,
                                        absl::string_view file, int64_t line);

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_TRANSFERARRAYS_H
