// From the machine's text form (.sysasm, docs/assembly.md) to a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASSEMBLER_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASSEMBLER_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "dialects/Machine/Program/Program.h"

namespace systole {

// Whether a file's text is a program in text form: its first word, after
// comments, is `.program`.
bool isAssemblyText(absl::string_view text);

// InvalidArgument "origin:line:column: reason" (without the first part if
// `origin` is empty). The program has passed checkHeader; its
// instructions are checked by verifyProgram.
absl::StatusOr<Program> assemble(absl::string_view text, absl::string_view origin = "");

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASSEMBLER_H
