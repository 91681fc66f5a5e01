// Files read and written in one piece.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_WHOLEFILE_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_WHOLEFILE_H

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace systole {

// The bytes of a file. NotFound or InvalidArgument with the path and the reason.
absl::StatusOr<std::string> readWholeFile(const std::string &path);

// Whether writeWholeFile could write `path` now; leaves nothing behind.
absl::Status checkWritable(const std::string &path);

// Writes the next bytes of a file; false if they cannot be written.
using FileSink = absl::FunctionRef<bool(std::string_view)>;

// Writes `bytes`, or the output of `produce`, to a temporary file beside `path`, then renames it:
// readers see the old file or the new one. Links are followed. A path that exists and is not a
// regular file (a pipe, a device), or denotes an open file (/dev/stdout), is written directly.
// `produce` is called again if an unnamed file cannot be given a name; if it returns false no file
// is kept.
absl::Status writeWholeFile(const std::string &path, absl::FunctionRef<bool(FileSink)> produce);
absl::Status writeWholeFile(const std::string &path, std::string_view bytes);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_WHOLEFILE_H
