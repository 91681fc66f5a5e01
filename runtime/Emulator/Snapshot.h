// The state of a machine between two cycles of a run, as a value.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_SNAPSHOT_H
#define SYSTOLE_RUNTIME_EMULATOR_SNAPSHOT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dialects/Machine/Program/WholeFile.h"
#include "runtime/Emulator/State/MemoryImage.h"

namespace systole {

// Registers, units, memories, copies and messages in flight, control and statistics of all cores,
// and the links between them. Snapshots of one run share the pages of memory that did not change
// between them.
class Snapshot {
public:
  // Of the digest at the end of a file: BLAKE3 of the bytes before it.
  static constexpr size_t kDigestBytes = 32;

  // Writes a file. An error of writeWholeFile.
  absl::Status write(const std::string &path) const;
  // The bytes of the file.
  std::string serialize() const;
  // Reads a file, or its bytes, which are untrusted: InvalidArgument if they are none of a
  // snapshot. Whether a machine can execute the state is seen when it is restored.
  static absl::StatusOr<Snapshot> read(const std::string &path);
  static absl::StatusOr<Snapshot> parse(std::string_view bytes);

  // The cycle at which the run was stopped.
  int64_t cycle() const { return stoppedAt; }

  // Calls f(the contents of a page of memory, their bytes) for each page: those that several
  // snapshots share have one address.
  template <typename F> void forEachPage(F f) const {
    for (const Core &core : cores)
      for (program::Space space : emulation::kCopiedSpaces)
        for (const emulation::MemoryImage::Page &page : core.memory.of(space).pages)
          f(static_cast<const void *>(page.contents->data()), page.contents->size());
  }
  // Bytes of everything else.
  size_t stateBytes() const {
    size_t bytes = network.size();
    for (const Core &core : cores)
      bytes += core.state.size();
    return bytes;
  }

  // The first place where two snapshots differ, such as "core 0: control.block" or "core 1: VMEM
  // page 3"; "" if they are equal.
  std::string firstDifference(const Snapshot &other) const;

private:
  friend class Emulator;

  struct Core {
    std::string state; // Execution/Capture.h
    emulation::MemoryImage memory;
  };

  bool writeTo(FileSink file) const;

  uint64_t program = 0; // a hash of the program and the machine
  int64_t stoppedAt = 0;
  std::string network; // as Network::capture; "" for one core
  std::vector<Core> cores;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_SNAPSHOT_H
