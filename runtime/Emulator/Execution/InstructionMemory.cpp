// Loads of overlays into instruction memory.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/InstructionMemory.h"

#include <cassert>
#include <utility>

#include "absl/strings/str_cat.h"

namespace systole::emulation {

void InstructionMemory::reset() {
  states.assign(size_t(header->overlays_size()), kAbsent);
  if (!states.empty())
    states[0] = kResident;
}

int64_t InstructionMemory::end(int32_t overlay) const {
  const program::Range &bundles = header->overlays(overlay);
  return addressOfOverlay(*header, overlay) + bundles.end() - bundles.begin();
}

std::optional<Fault> InstructionMemory::start(int32_t overlay, int64_t now, CopyEngine &copies,
                                              KernelStats &stats) {
  if (states[size_t(overlay)] != kAbsent)
    return std::nullopt;
  const int64_t first = addressOfOverlay(*header, overlay), last = end(overlay);
  if (first < end(0) || last > capacity)
    return Fault{TrapKind::NotResident,
                 absl::StrCat("overlay ", overlay, " would take bundles ", first, " to ", last,
                              " of instruction memory, of which overlay 0 takes ", end(0),
                              "; it holds ", capacity)};
  for (int32_t other = 1; other < header->overlays_size(); ++other)
    if (states[size_t(other)] != kAbsent && addressOfOverlay(*header, other) < last &&
        first < end(other))
      states[size_t(other)] = kAbsent;
  states[size_t(overlay)] =
      copies.load((last - first) * int64_t(formatOf(*header).bytes()), now, stats);
  return std::nullopt;
}

int64_t InstructionMemory::finish(int32_t overlay) {
  assert(states[size_t(overlay)] != kAbsent && "the overlay has been started");
  return std::exchange(states[size_t(overlay)], kResident);
}

} // namespace systole::emulation
