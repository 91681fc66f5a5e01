// The memories of one core, and the ownership of their parts by copies in flight.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORY_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/program.pb.h"
#include "runtime/Emulator/State/Pages.h"
#include "runtime/Emulator/State/Reservation.h"

namespace systole::emulation {

// Ownership of the units of a memory (rows, but words of SMEM) by
// copies in flight: the number of readers of a unit, or a mark of its one writer.
using Owner = uint16_t;
inline constexpr Owner kWritten = 0x8000;

struct MemorySize {
  int64_t hbmRows = 0, vmemRows = 0, smemWords = 0, pinnedRows = 0;
};

// One core's memories, and what the program uses of the host's pinned one.
class Memory {
public:
  // ResourceExhausted if the host has not that much address space.
  static absl::StatusOr<Memory> create(const MemorySize &size);

  // Zeroes VMEM and SMEM and forgets all ownership; HBM and pinned memory stay.
  void reset();

  uint32_t *vmem() { return reinterpret_cast<uint32_t *>(cells[program::VMEM].data()); }
  uint32_t *words(program::Space space) {
    return reinterpret_cast<uint32_t *>(cells[size_t(space)].data());
  }
  size_t bytes(program::Space space) const { return cells[size_t(space)].size(); }
  Owner *owners(program::Space space) {
    return reinterpret_cast<Owner *>(ownersOf[size_t(space)].data());
  }

  // Every write to HBM, VMEM or pinned memory is noted, before or after it.
  void noteWrite(program::Space space, size_t offset, size_t bytes);
  // The same for a store to rows of VMEM that take no more than a page.
  void noteStores(int64_t firstRow, int64_t lastRow) {
    pages[program::VMEM].write(size_t(firstRow) / kRowsOfPage);
    pages[program::VMEM].write(size_t(lastRow) / kRowsOfPage);
  }
  // Releases a range of HBM; its contents are unspecified until written.
  void releaseHbm(size_t offset, size_t bytes);
  // Resets, and discards the contents of HBM and pinned memory.
  void releaseAll();
  // Bytes of HBM in use on the host, in whole pages, and most of them since the creation.
  int64_t touchedBytes() const { return touched; }
  int64_t peakTouchedBytes() const { return peak; }

  // The pages of a memory that were written since it was zeroed.
  Pages &pagesOf(program::Space space) { return pages[size_t(space)]; }

  // Cycle from which a load observes the last store to a row or word.
  std::vector<int64_t> vmemReady, smemReady;
  int64_t lastVmemReady = 0, lastSmemReady = 0;
  // Copies in flight from or to a memory: without any, ownership needs no check.
  int copiesOnVmem = 0, copiesOnSmem = 0;

private:
  static constexpr size_t kRowsOfPage = Pages::kBytes / isa::kRowBytes;
  template <typename T> using BySpace = std::array<T, program::Space_ARRAYSIZE>;

  BySpace<Reservation> cells, ownersOf;
  BySpace<Pages> pages;
  int64_t touched = 0, peak = 0;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORY_H
