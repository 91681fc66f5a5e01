// The pages of a memory: which are in use, which have changed since its contents were last copied,
// and which have contents that nobody may read.
//
// Threads may access different pages, and set the same page's state by writes to different parts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_PAGES_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_PAGES_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/status/statusor.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "runtime/Emulator/State/Reservation.h"

namespace systole::emulation {

class Pages {
public:
  static constexpr size_t kBytes = 64 * 1024;
  static constexpr int64_t kRows = int64_t(kBytes) / isa::kRowBytes;

  // Of a memory of `bytes`; all are unused, which means zero.
  static absl::StatusOr<Pages> create(size_t bytes) {
    absl::StatusOr<Reservation> flags = Reservation::create((bytes + kBytes - 1) / kBytes);
    return flags.ok() ? absl::StatusOr<Pages>(Pages(*std::move(flags))) : flags.status();
  }
  Pages() = default;
  size_t size() const { return flags.size(); }

  // Returns whether the page was unused before.
  bool write(size_t page) {
    auto flag = at(page);
    const uint8_t before = flag.load(std::memory_order_relaxed);
    const uint8_t mapped = before & kMapped;
    if (before == (kUsed | kChanged | mapped))
      return false;
    return !(flag.exchange(kUsed | kChanged | mapped, std::memory_order_relaxed) & kUsed);
  }
  // The host has a page again.
  void unmap(size_t page) { at(page).store(0, std::memory_order_relaxed); }
  // Notes that the host gives a page to the memory. Returns whether it had none before.
  bool map(size_t page) {
    return !(at(page).fetch_or(kMapped, std::memory_order_relaxed) & kMapped);
  }
  bool isUsed(size_t page) const { return read(page) & kUsed; }
  bool hasChanged(size_t page) const { return read(page) & kChanged; }
  void setUnchanged(size_t page) { at(page).fetch_and(kUsed | kMapped, std::memory_order_relaxed); }
  // Of a page in use: it counts as zero, but its contents are what an earlier owner left.
  bool isStale(size_t page) const { return read(page) & kStale; }
  void setStale(size_t page) { at(page).fetch_or(kStale, std::memory_order_relaxed); }

private:
  static constexpr uint8_t kUsed = 1, kChanged = 2, kStale = 4, kMapped = 8;

  explicit Pages(Reservation flags) : flags(std::move(flags)) {}
  std::atomic_ref<uint8_t> at(size_t page) const { return std::atomic_ref(flags.data()[page]); }
  uint8_t read(size_t page) const { return at(page).load(std::memory_order_relaxed); }

  Reservation flags; // a byte for each page
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_PAGES_H
