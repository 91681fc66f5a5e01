// The files of a program's arguments and results: .npy and .npz.
//
// An .npz has one entry per array, arg0, arg1, ... for arguments and out0,
// out1, ... for results, in the order of the signature. Of an array that is given by core it has
// the parts of all cores, arg0@0, arg0@1, ... The signature determines the element types of
// two-byte opaque data; a mismatch is InvalidArgument before any data is read.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_ARRAYFILES_H
#define SYSTOLE_RUNTIME_DEVICE_ARRAYFILES_H

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/Device/HostArray.h"
#include "runtime/Device/Npz.h"

namespace systole {

namespace program {
class ProgramHeader;
class Tensor;
} // namespace program

// The arrays of files, in order: of one .npz with entries PREFIX0, PREFIX1, ..., or of an .npy for
// each, told apart by their content.
class ArrayReader {
public:
  static absl::StatusOr<ArrayReader> open(std::span<const std::string> paths,
                                          absl::string_view prefix);

  int64_t size() const;
  // The archive, or "".
  std::string archivePath() const { return archive ? paths.front() : ""; }

  // The shape of array number `index`.
  absl::StatusOr<std::vector<int64_t>> dims(int64_t index);
  // Array number `index`, if it is of the type of `tensor`, or smaller where that has bounds.
  // InvalidArgument that begins with `expectation` if it is of another.
  absl::StatusOr<HostArray> read(int64_t index, const program::Tensor &tensor,
                                 absl::string_view expectation);

  // Whether array number `index` is given by core.
  bool hasShards(int64_t index) const;
  // Its part of a core, with the errors of `read`.
  absl::StatusOr<HostArray> readShard(int64_t index, int core, const program::Tensor &tensor,
                                      absl::string_view expectation);

private:
  ArrayReader(std::span<const std::string> paths, absl::string_view prefix)
      : paths(paths.begin(), paths.end()), prefix(prefix) {}

  using Use = absl::FunctionRef<absl::Status(ByteSource &)>;
  // Call `use` with the bytes of array number `index`, or of an entry of the archive; its errors
  // get the place of that.
  absl::Status with(int64_t index, Use use);
  absl::Status withEntry(const std::string &name, Use use);

  std::vector<std::string> paths;
  std::string prefix;
  std::optional<NpzReader> archive;
};

// Reads the arguments of a program, each of them whole, from one .npz or from one .npy for each
// argument, told apart by their content. InvalidArgument if cores have different values of the same
// part.
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
// The same by core: out0@0, out0@1, ..., out1@0, ...
absl::Status writeShards(const std::string &path, std::span<const std::vector<HostArray>> results);

// "arg0@2"
std::string shardName(absl::string_view array, int core);

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_ARRAYFILES_H
