// From a program to the machine's text form (docs/assembly.md).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_DISASSEMBLER_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_DISASSEMBLER_H

#include <cstdint>
#include <string>

#include "dialects/Machine/Program/Program.h"

namespace systole {

struct DisassembleOptions {
  // A larger constant is a comment with its size; such a text cannot be
  // assembled.
  size_t maxConstantBytes = SIZE_MAX;
  // Adds the number of each bundle as a comment.
  bool bundleNumbers = false;
};

// The text that assemble() turns into the same program. Code that is not well
// structured is shown as comments.
std::string disassemble(const Program &program, const DisassembleOptions &options = {});

// One instruction, e.g. "v0 = vld.b32 s1, region=x", without the lengths of
// control instructions. Regions, descriptors and routines have their names
// if there is a header, else their numbers.
std::string printInst(const isa::Inst &inst, const program::ProgramHeader *header = nullptr);
// One bundle on a line, e.g. "{ s1 = s.mov 4; v0 = eup.pop } delay 2".
std::string printBundle(const isa::Bundle &bundle, const program::ProgramHeader *header = nullptr);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_DISASSEMBLER_H
