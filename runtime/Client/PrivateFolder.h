// A folder whose files are written by this user alone.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_PRIVATEFOLDER_H
#define SYSTOLE_RUNTIME_CLIENT_PRIVATEFOLDER_H

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace systole {

// Names are names of files in the folder, without a slash. All access is relative to the folder
// that was checked, even if its path leads elsewhere by now, and never follows a symbolic link.
class PrivateFolder {
public:
  // Creates the folder and missing parts of its path with mode 0700. PermissionDenied if it is a
  // symbolic link or not a folder, belongs to another user, or others may write to it; NotFound if
  // there is none and it cannot be created. The message gives the reason.
  static absl::StatusOr<PrivateFolder> open(const std::string &path);

  PrivateFolder(PrivateFolder &&other) noexcept : descriptor(other.descriptor) {
    other.descriptor = -1;
  }
  PrivateFolder &operator=(PrivateFolder &&) = delete;
  ~PrivateFolder();

  // The bytes of a file, which becomes the most recently used one. NotFound if there is none;
  // FailedPrecondition if it is not a regular file, another user has written it or may do so,
  // or it is larger than `maxBytes`. Never waits, as opening a FIFO would.
  absl::StatusOr<std::string> read(const std::string &name, int64_t maxBytes) const;

  // Replaces the file of that name atomically. Mode 0600. False if it cannot be
  // written.
  bool write(const std::string &name, std::string_view bytes) const;

  void remove(const std::string &name) const;

  // If the files that `concerns` accepts have more than `maxBytes`, removes the least recently
  // used ones until half of that is left.
  void trim(int64_t maxBytes, absl::FunctionRef<bool(std::string_view name)> concerns) const;

private:
  explicit PrivateFolder(int descriptor) : descriptor(descriptor) {}

  int descriptor;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_PRIVATEFOLDER_H
