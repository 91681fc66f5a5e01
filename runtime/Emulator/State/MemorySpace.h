// The contents of one memory, and the use of its pages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORYSPACE_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORYSPACE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "runtime/Emulator/State/Pages.h"
#include "runtime/Emulator/State/Reservation.h"

namespace systole::emulation {

// Threads may access different ranges at the same time.
class MemorySpace {
public:
  // All zero. ResourceExhausted if the host has not that much address space.
  static absl::StatusOr<std::unique_ptr<MemorySpace>> create(size_t bytes);

  uint8_t *data() const { return cells.data(); }
  uint32_t *words() const { return reinterpret_cast<uint32_t *>(cells.data()); }
  size_t size() const { return cells.size(); }
  Pages &pages() { return used; }

  // Called before a range is accessed by whoever it belongs to.
  void prepareWrite(size_t offset, size_t count);
  void prepareRead(size_t offset, size_t count) {
    if (hasStale.load(std::memory_order_relaxed))
      zeroStale(offset, count);
  }

  // A store to a part of a page, of a memory of one owner, before or after it. A store that first
  // reads is cheaper on pages that the host has given for writing.
  void noteStore(size_t page) {
    noteLoad(page);
    if (used.write(page) && used.map(page))
      cells.populate(page * Pages::kBytes, Pages::kBytes);
  }
  // Before a load from a page.
  void noteLoad(size_t page) {
    if (hasStale.load(std::memory_order_relaxed) && used.isStale(page))
      zeroPage(page);
  }

  // A new owner gets the range, which counts as zero from here on.
  void discard(size_t offset, size_t count);
  // Bytes of the pages in use that lie inside of a range.
  int64_t usedBytes(size_t offset, size_t count) const;
  // Gives the pages inside of a range back to the host.
  void release(size_t offset, size_t count);
  // Gives all pages back.
  void releaseAll();
  // All of it counts as zero from here on; pages in use stay with the memory.
  void discardAll();

  // Bytes of all pages in use, and most of them since the creation.
  int64_t touchedBytes() const { return touched.load(std::memory_order_relaxed); }
  int64_t peakTouchedBytes() const { return peak.load(std::memory_order_relaxed); }

private:
  MemorySpace(Reservation cells, Pages used) : cells(std::move(cells)), used(std::move(used)) {}
  // Those pages that a range has a part of.
  void zeroStale(size_t offset, size_t count);
  void zeroPage(size_t page);
  void countPages(int64_t pages);

  Reservation cells;
  Pages used;
  std::atomic<bool> hasStale = false; // ever
  std::atomic<int64_t> touched = 0, peak = 0;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_MEMORYSPACE_H
