// Conventions that the assembler and the disassembler share beyond the instruction
// tables: defaults of operands, and which operands are written by name.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASMSYNTAX_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASMSYNTAX_H

#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole::assembly {

// The default of an operand that the text may leave out.
std::optional<isa::Operand> defaultOperand(isa::Opcode opcode, const isa::FieldInfo &field);

// Whether the disassembler writes `name=value`: for inline constants, operands
// with a default, and everything in instructions of many operands. The
// assembler takes either form of every operand.
bool writtenByName(isa::Opcode opcode, const isa::FieldInfo &field);

// An S operand that holds the index of a region, so that a name is allowed there.
bool namesRegion(const isa::FieldInfo &field);

// "s3", "v0" or "m15" as an operand.
std::optional<isa::Operand> parseRegister(absl::string_view text);
std::string registerName(const isa::Operand &operand);

// "hbm", "vmem", "smem", "host".
std::optional<program::Space> parseSpace(absl::string_view text);
absl::string_view spaceName(program::Space space);

// Whether the operand's immediates are printed as f32 instead of as integers.
bool readsFloat(isa::Opcode opcode, const isa::FieldInfo &field);

// The shortest text that parses back to these bits, e.g. "0.1f"; hexadecimal for NaN.
std::string floatText(uint32_t bits);

inline absl::string_view toAbsl(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view toStd(absl::string_view text) { return {text.data(), text.size()}; }

} // namespace systole::assembly

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASMSYNTAX_H
