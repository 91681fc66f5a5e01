// Files read and written in one piece.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_WHOLEFILE_H
#define SYSTOLE_RUNTIME_DEVICE_WHOLEFILE_H

#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace systole {

// The bytes of a file. NotFound or InvalidArgument with the path and the reason.
absl::StatusOr<std::string> readWholeFile(const std::string &path);

// Whether writeWholeFile could write `path` now; leaves nothing behind.
absl::Status checkWritable(const std::string &path);

// Writes `parts` one after the other to a temporary file beside `path`, then
// renames it: whoever looks sees the old file or the new one. A path that
// exists and is no regular file (a pipe, a device) is written directly.
absl::Status writeWholeFile(const std::string &path, std::span<const std::string_view> parts);
absl::Status writeWholeFile(const std::string &path, std::string_view bytes);

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_WHOLEFILE_H
