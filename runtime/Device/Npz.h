// NumPy's .npz format: a zip archive of .npy files.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_NPZ_H
#define SYSTOLE_RUNTIME_DEVICE_NPZ_H

#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/Device/Npy.h"

struct zip;

namespace systole {

class NpzReader {
public:
  // InvalidArgument if the file is not a zip archive.
  static absl::StatusOr<NpzReader> open(const std::string &path);

  // Number of entries.
  int64_t size() const;

  // Whether there is an entry `name` or `name`.npy.
  bool has(const std::string &name) const { return find(name) >= 0; }
  // The entry `name` or `name`.npy, decompressed while it is read; its checksum
  // is checked at its end. The reader must outlive it.
  absl::StatusOr<std::unique_ptr<ByteSource>> entry(const std::string &name);

private:
  struct Close {
    void operator()(zip *archive) const;
  };
  explicit NpzReader(zip *archive) : archive(archive) {}
  // The place of such an entry; negative if there is none.
  int64_t find(const std::string &name) const;

  std::unique_ptr<zip, Close> archive;
};

struct NpzEntry {
  std::string name; // without ".npy"
  const HostArray *array;
};

// Writes an archive of uncompressed entries, atomically. Entries have the
// earliest date of the zip format.
absl::Status writeNpz(const std::string &path, std::span<const NpzEntry> entries);

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_NPZ_H
