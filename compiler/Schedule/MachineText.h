// The text form of machine modules (.smir); docs/machine-function.md has its
// grammar. Printing what was parsed gives the same text.
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

/// InvalidArgument with "line:column: message" for text that is no module.
absl::StatusOr<Module> parse(llvm::StringRef text);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_MACHINETEXT_H
