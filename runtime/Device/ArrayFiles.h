// The files of a program's arguments and results: .npy and .npz.
//
// An .npz has one entry per array, arg0, arg1, ... for arguments and out0,
// out1, ... for results, in the order of the signature. The signature
// determines the element types of two-byte opaque data; a mismatch is
// InvalidArgument before any data is read.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_ARRAYFILES_H
#define SYSTOLE_RUNTIME_DEVICE_ARRAYFILES_H

#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/Device/HostArray.h"

namespace systole {

namespace program {
class ProgramHeader;
} // namespace program

// Reads the arguments of a program from one .npz or from one .npy for each
// argument, told apart by their content.
absl::StatusOr<std::vector<HostArray>> readArguments(const program::ProgramHeader &program,
                                                     std::span<const std::string> paths);

// The shapes of the arrays in such files, whatever the program.
absl::StatusOr<std::vector<std::vector<int64_t>>> readShapes(std::span<const std::string> paths);

// Checks count, element types and shapes of arguments against the signature.
absl::Status checkArguments(const program::ProgramHeader &program,
                            std::span<const HostArray> arguments);

// Writes an .npz with entries out0, out1, ...; atomically. The same arrays
// give the same bytes.
absl::Status writeResults(const std::string &path, std::span<const HostArray> results);

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_ARRAYFILES_H
