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

// One place of a program that sends or receives an array: the bundle that starts the copy of its
// first plane, and the array as it is in HBM, on the device's side.
struct ArrayCopy {
  int64_t bundle;
  program::Tensor onDevice;
};

// All places of an array of a transfer whose copies are of whole regions.
std::vector<ArrayCopy> copiesOf(const Program &program, const program::Tensor &transferred);

// The array that a text names, "send4", if it is one that is sent to the host.
struct SentArray {
  std::vector<ArrayCopy> copies;
  absl::string_view rest; // behind the name
};
std::optional<SentArray> findSent(const Program &program, absl::string_view text);

// The bundles that start the copies of an array that is sent or received, "send4", or of its last
// plane. None if there is no such array.
std::vector<int64_t> copiesOfArray(const Program &program, absl::string_view name);

// The name of the array that is sent over a channel, or "".
std::string sentOver(const program::ProgramHeader &header, int64_t channel);

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_TRANSFERARRAYS_H
