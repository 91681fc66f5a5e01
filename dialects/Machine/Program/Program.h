// A machine program and its file (.sysx); program.proto describes the format.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_PROGRAM_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_PROGRAM_H

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole {

// `header.code` and the sections of `header.constants` are filled in when the
// program is written: a builder sets `code` and `constants` only.
struct Program {
  program::ProgramHeader header;
  std::vector<isa::EncodedBundle> code;
  std::vector<std::string> constants; // bytes of header.constants(i)
};

// The slots of the program's bundles; a format that checkFormat refuses if the header's is not one.
isa::BundleFormat formatOf(const program::ProgramHeader &header);
void setFormat(program::ProgramHeader &header, const isa::BundleFormat &format);

// Where an overlay begins in instruction memory, in bundles.
int64_t addressOfOverlay(const program::ProgramHeader &header, int overlay);

// The name of a memory that arrays are in, as JAX has it.
absl::string_view memoryKind(program::Memory memory);
// The memory of a name.
std::optional<program::Memory> memoryOfKind(absl::string_view kind);

// Whether the bytes are those of a .sysx file, judged by their first eight.
bool isProgramFile(absl::string_view bytes);

// Whether they are a proper prefix of that signature, too short to identify the file.
bool isCutProgramFile(absl::string_view bytes);

// InvalidArgument as for checkHeader, or if `constants` and header.constants
// differ in number.
absl::StatusOr<std::string> serializeProgram(const Program &program);

// Reads untrusted bytes. InvalidArgument if they are not a program, of
// another format version, damaged, or if checkHeader refuses the header.
absl::StatusOr<Program> parseProgram(absl::string_view bytes);

// Atomic: a temporary file beside `path` is renamed to it.
absl::Status writeProgram(const Program &program, const std::string &path);
// NotFound or InvalidArgument if the file cannot be read, else as parseProgram.
absl::StatusOr<Program> readProgram(const std::string &path);

// Checks that the header is consistent with itself and with the sizes of `code`
// and `constants`: every index, range, space, shape and layout. verifyProgram
// (Verify.h) checks properties that depend on a target or on the instructions.
absl::Status checkHeader(const Program &program);

// The entry that `location` of a kernel or source range names; an empty one for 0.
const program::Location &locationOf(const program::ProgramHeader &header, int32_t location);

// The line to show first: that of the user's code, else the innermost; "" if unknown.
const std::string &shownLine(const program::Location &location);

// "kernel `k`, at file.py:3" for a bundle, as far as the header knows; the text
// that diagnostics add to a bundle's number.
std::string describeBundle(const program::ProgramHeader &header, int64_t bundle);

// The framework's name of an argument, "params['w']", or "argN".
std::string argumentName(const program::ProgramHeader &header, int argument);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_PROGRAM_H
