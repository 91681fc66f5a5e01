// The memories of one core, and the ownership of their parts by copies in flight.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_MEMORY_H
#define SYSTOLE_RUNTIME_EMULATOR_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "dialects/Machine/Program/program.pb.h"
#include "runtime/Emulator/Origins.h"

namespace systole::emulation {

// Zero-filled host memory that costs nothing until it is touched.
class Reservation {
public:
  Reservation() = default;
  static absl::StatusOr<Reservation> create(size_t bytes);
  Reservation(Reservation &&other) noexcept;
  Reservation &operator=(Reservation &&other) noexcept;
  ~Reservation();

  uint8_t *data() const { return base; }
  size_t size() const { return bytes; }
  // Releases whole pages inside a range; they read as zero again.
  void release(size_t offset, size_t count);

private:
  uint8_t *base = nullptr;
  size_t bytes = 0;
};

// Ownership of the units of a memory (rows, but words of SMEM) by
// copies in flight: the number of readers of a unit, or a mark of its one writer.
using Owner = uint16_t;
inline constexpr Owner kWritten = 0x8000;

struct MemorySize {
  int64_t hbmRows = 0, vmemRows = 0, smemWords = 0, pinnedRows = 0;
};

// One core's memories, and what the program uses of the host's pinned one. With origins (timing
// only) each row and word has one, and what is unknown is not kept.
class Memory {
public:
  // ResourceExhausted if the host has not that much address space.
  static absl::StatusOr<Memory> create(const MemorySize &size, bool withOrigins);

  // Zeroes VMEM and SMEM and forgets all ownership; HBM and pinned memory stay.
  void reset();

  uint32_t *hbm() { return reinterpret_cast<uint32_t *>(hbmCells.data()); }
  uint32_t *vmem() { return reinterpret_cast<uint32_t *>(vmemCells.data()); }
  uint32_t *pinned() { return reinterpret_cast<uint32_t *>(pinnedCells.data()); }
  uint32_t *words(program::Space space) {
    return space == program::HBM      ? hbm()
           : space == program::VMEM   ? vmem()
           : space == program::PINNED ? pinned()
                                      : smem.data();
  }
  Owner *owners(program::Space space) {
    return reinterpret_cast<Owner *>(space == program::HBM      ? hbmOwners.data()
                                     : space == program::VMEM   ? vmemOwners.data()
                                     : space == program::PINNED ? pinnedOwners.data()
                                                                : smemOwners.data());
  }

  bool hasOrigins() const { return hbmOrigins.size() > 0; }
  // Of rows, and of words of SMEM.
  Origin *origins(program::Space space) {
    return space == program::SMEM
               ? smemOrigins.data()
               : reinterpret_cast<Origin *>(space == program::HBM      ? hbmOrigins.data()
                                            : space == program::PINNED ? pinnedOrigins.data()
                                                                       : vmemOrigins.data());
  }
  // VMEM has no contents that a kernel finds there.
  void forgetVmem();
  // Marks a row of VMEM that is written through a region, wholly or in part. The rest of the row
  // keeps its origin if it was written through the same region; else it is not in use any more.
  void markVmem(int64_t row, int32_t region, bool isWhole, Origin origin, Origins &sets) {
    Origin &mark = origins(program::VMEM)[row];
    int32_t &writer = vmemWriters[size_t(row)];
    mark = isWhole || writer != region ? origin : sets.join(mark, origin);
    writer = region;
  }

  // Counts a range of HBM as used on the host.
  void touchHbm(size_t offset, size_t bytes);
  void releaseHbm(size_t offset, size_t bytes);
  // Resets, and discards the contents of HBM and pinned memory.
  void releaseAll();
  int64_t touchedBytes() const { return touched; }
  int64_t peakTouchedBytes() const { return peak; }

  std::vector<uint32_t> smem;
  // Cycle from which a load observes the last store to a row or word.
  std::vector<int64_t> vmemReady, smemReady;
  int64_t lastVmemReady = 0, lastSmemReady = 0;
  // Copies in flight from or to a memory: without any, ownership needs no check.
  int copiesOnVmem = 0, copiesOnSmem = 0;

private:
  static constexpr size_t kTouchBytes = 64 * 1024;
  Reservation hbmCells, vmemCells, pinnedCells, hbmOwners, vmemOwners, smemOwners, pinnedOwners,
      hbmOrigins, vmemOrigins, pinnedOrigins;
  std::vector<Origin> smemOrigins;
  std::vector<int32_t> vmemWriters; // the region through which each row was written
  std::vector<bool> touchedChunks;
  int64_t touched = 0, peak = 0;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_MEMORY_H
