// The text form of machine modules (.smir), whose grammar is in docs/machine-function.md. Parsing
// and printing round-trips.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_MACHINETEXT_H
#define SYSTOLE_COMPILER_SCHEDULE_MACHINETEXT_H

#include "compiler/Schedule/MachineFunction.h"

#include "absl/status/statusor.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace systole::machine {

void print(llvm::raw_ostream &os, const Module &module);
void print(llvm::raw_ostream &os, const Module &module, const Function &function);

/// InvalidArgument with "line:column: message" for malformed text.
absl::StatusOr<Module> parse(llvm::StringRef text);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_MACHINETEXT_H
