// A folder whose files only this user has written.
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
// that was checked, whatever its path leads to meanwhile, and never follows a symbolic link.
class PrivateFolder {
public:
  // Makes the folder, and what of its path is missing, with mode 0700. PermissionDenied if it is a
  // symbolic link or no folder, belongs to another user, or others may write to it; NotFound if
  // there is none and it cannot be made. The message says why.
  static absl::StatusOr<PrivateFolder> open(const std::string &path);

  PrivateFolder(PrivateFolder &&other) : descriptor(other.descriptor) { other.descriptor = -1; }
  PrivateFolder &operator=(PrivateFolder &&) = delete;
  ~PrivateFolder();

  // The bytes of a file, which becomes the one used last. NotFound if there is none;
  // FailedPrecondition if it is no regular file, another user has written it or may, or it is
  // larger than `maxBytes`. Never waits, as opening a FIFO would.
  absl::StatusOr<std::string> read(const std::string &name, int64_t maxBytes) const;

  // Puts a file in the place of whatever has the name: whoever looks sees a whole file or none.
  // Mode 0600. False if it cannot be written.
  bool write(const std::string &name, std::string_view bytes) const;

  void remove(const std::string &name) const;

  // Once the files that `concerns` accepts have more than `maxBytes`, removes those that were not
  // used for longest until half of that is left.
  void trim(int64_t maxBytes, absl::FunctionRef<bool(std::string_view name)> concerns) const;

private:
  explicit PrivateFolder(int descriptor) : descriptor(descriptor) {}

  int descriptor;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_PRIVATEFOLDER_H
