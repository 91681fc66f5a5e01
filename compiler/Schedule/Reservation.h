// The reservation table of a modulo schedule: slots, units and immediates.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_RESERVATION_H
#define SYSTOLE_COMPILER_SCHEDULE_RESERVATION_H

#include "compiler/Schedule/Units.h"

#include <array>
#include <cassert>

namespace systole::machine {

/// The resources of one instruction, computed once.
struct ResourceUse {
  uint8_t slot = 0;
  bool sequencer = false;
  int8_t unit = -1;
  int32_t interval = 1;
  std::array<int32_t, isa::kMaxOperands> immediates;
  int immediateCount = 0;
};
ResourceUse resourceUse(const Function &f, InstId i, const Limits &limits);

/// The reservation table of a schedule that repeats every `ii` cycles.
class Reservation {
public:
  Reservation(int32_t ii, const isa::BundleFormat &format)
      : ii(ii), format(format), rows(size_t(ii)) {
    assert(ii > 0 && "the initiation interval is positive");
    uint16_t none = 0;
    for (size_t slot = 0; slot < format.slots.size(); ++slot)
      none |= uint16_t(uint16_t(format.slots[slot] == 0) << slot);
    fullSlots.assign(size_t(ii), none);
  }

  bool fits(const ResourceUse &use, int32_t time) const;
  void add(const ResourceUse &use, int32_t time);
  void remove(const ResourceUse &use, int32_t time);
  /// Whether the two instructions conflict at these times or exceed a shared limit.
  bool compete(const ResourceUse &a, int32_t timeA, const ResourceUse &b, int32_t timeB) const;

private:
  struct Row {
    std::array<int8_t, isa::kSlotKinds> slots{};
    int8_t sequencers = 0;
    uint64_t busy = 0; // units
    struct Immediate {
      int32_t value;
      int32_t users;
    };
    std::array<Immediate, isa::kMaxImmediates> immediates;
    int8_t immediateCount = 0;
  };
  static_assert(kBusyUnits <= 64);

  Row &row(int32_t time) {
    assert(time >= 0 && "schedules begin at cycle 0");
    return rows[size_t(time % ii)];
  }
  const Row &row(int32_t time) const { return const_cast<Reservation *>(this)->row(time); }

  int32_t ii;
  isa::BundleFormat format;
  std::vector<Row> rows;
  /// By row, a bit for each kind of slots of which none is free: most rows that a search asks for
  /// are refused by these, which lie closer together than the rows.
  std::vector<uint16_t> fullSlots;
  static_assert(isa::kSlotKinds <= 16);
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_RESERVATION_H
