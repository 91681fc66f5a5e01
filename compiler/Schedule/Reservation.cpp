// The reservation table of a modulo schedule.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Reservation.h"

#include <algorithm>
#include <cassert>

namespace systole::machine {

ResourceUse resourceUse(const Function &f, InstId i, const Limits &limits) {
  const isa::InstInfo &info = isa::info(f.insts[i].opcode);
  ResourceUse use;
  use.slot = uint8_t(info.slot);
  use.sequencer = info.sequencer;
  use.unit = int8_t(busyUnitOf(f, i));
  use.interval = intervalOf(limits, f.insts[i].opcode);
  auto ops = f.ops(i);
  for (size_t k = 0; k < ops.size(); ++k) {
    if (!ops[k].isImm() || !takesSharedImmediate(info.fields[k].kind))
      continue;
    auto end = use.immediates.begin() + use.immediateCount;
    assert(use.immediateCount < int(use.immediates.size()) && "more immediates than operands");
    if (std::find(use.immediates.begin(), end, ops[k].value) == end)
      use.immediates[size_t(use.immediateCount++)] = ops[k].value;
  }
  return use;
}

bool Reservation::fits(const ResourceUse &use, int32_t time) const {
  assert(time >= 0 && "schedules begin at cycle 0");
  if (fullSlots[size_t(time % ii)] >> use.slot & 1)
    return false;
  const Row &r = row(time);
  if (use.sequencer && r.sequencers > 0)
    return false;
  if (use.unit >= 0) {
    if (use.interval > ii)
      return false;
    for (int32_t c = 0; c < use.interval; ++c)
      if (row(time + c).busy >> use.unit & 1)
        return false;
  }
  int needed = r.immediateCount;
  for (int k = 0; k < use.immediateCount; ++k) {
    auto end = r.immediates.begin() + r.immediateCount;
    needed += std::none_of(r.immediates.begin(), end,
                           [&](auto &x) { return x.value == use.immediates[size_t(k)]; });
  }
  return needed <= format.immediates;
}

void Reservation::add(const ResourceUse &use, int32_t time) {
  assert(fits(use, time) && "the instruction's slot, unit or immediates are taken");
  Row &r = row(time);
  if (++r.slots[use.slot] == format.slots[use.slot])
    fullSlots[size_t(time % ii)] |= uint16_t(1u << use.slot);
  r.sequencers += use.sequencer;
  if (use.unit >= 0)
    for (int32_t c = 0; c < use.interval; ++c)
      row(time + c).busy |= uint64_t(1) << use.unit;
  for (int k = 0; k < use.immediateCount; ++k) {
    auto end = r.immediates.begin() + r.immediateCount;
    auto it = std::find_if(r.immediates.begin(), end,
                           [&](auto &x) { return x.value == use.immediates[size_t(k)]; });
    if (it != end)
      ++it->users;
    else
      r.immediates[size_t(r.immediateCount++)] = {use.immediates[size_t(k)], 1};
  }
}

void Reservation::remove(const ResourceUse &use, int32_t time) {
  Row &r = row(time);
  assert(r.slots[use.slot] > 0 && "no instruction of this slot issues in this cycle");
  assert(r.sequencers >= use.sequencer && "no sequencer instruction issues in this cycle");
  --r.slots[use.slot];
  fullSlots[size_t(time % ii)] &= uint16_t(~(1u << use.slot));
  r.sequencers -= use.sequencer;
  if (use.unit >= 0)
    for (int32_t c = 0; c < use.interval; ++c) {
      assert((row(time + c).busy >> use.unit & 1) && "the unit is free already");
      row(time + c).busy &= ~(uint64_t(1) << use.unit);
    }
  for (int k = 0; k < use.immediateCount; ++k) {
    auto end = r.immediates.begin() + r.immediateCount;
    auto it = std::find_if(r.immediates.begin(), end,
                           [&](auto &x) { return x.value == use.immediates[size_t(k)]; });
    assert(it != end && it->users > 0 && "the bundle does not have this immediate");
    if (--it->users == 0)
      *it = r.immediates[size_t(--r.immediateCount)];
  }
}

bool Reservation::compete(const ResourceUse &a, int32_t timeA, const ResourceUse &b,
                          int32_t timeB) const {
  if (a.unit >= 0 && a.unit == b.unit) {
    int32_t distance = ((timeB - timeA) % ii + ii) % ii;
    if (distance < a.interval || ii - distance < b.interval)
      return true;
  }
  if (timeA % ii != timeB % ii)
    return false;
  return a.slot == b.slot || (a.immediateCount > 0 && b.immediateCount > 0);
}

} // namespace systole::machine
