// Copies of a core's memories, page by page; those that did not change are shared with an earlier
// copy.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORYIMAGE_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORYIMAGE_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "dialects/Machine/Program/program.pb.h"
#include "runtime/Emulator/State/Memory.h"

namespace systole::emulation {

// The memories of which there are copies.
inline constexpr program::Space kCopiedSpaces[] = {program::HBM, program::VMEM, program::SMEM,
                                                   program::PINNED};

class MemoryImage {
public:
  // The contents of a page that is not zero; those of a memory's last page may be shorter.
  struct Page {
    uint64_t number;
    std::shared_ptr<const std::vector<uint8_t>> contents;
  };
  struct Contents {
    uint64_t bytes = 0;      // of the memory
    std::vector<Page> pages; // by ascending number
  };

  // Copies the pages that changed since `previous`, the last copy of this memory or what it was
  // restored from, which may be null.
  static MemoryImage capture(Memory &memory, const MemoryImage *previous);

  // Gives a memory that is zero these contents. InvalidArgument if it is of another size.
  absl::Status restore(Memory &memory) const;

  Contents &of(program::Space space) { return contents[size_t(space)]; }
  const Contents &of(program::Space space) const { return contents[size_t(space)]; }

  // "HBM page 17" for the first page that differs; "" if none does.
  std::string firstDifference(const MemoryImage &other) const;

private:
  std::array<Contents, program::Space_ARRAYSIZE> contents;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORYIMAGE_H
