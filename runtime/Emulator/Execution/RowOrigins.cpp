// Reservations for the origins of rows and words.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/RowOrigins.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace systole::emulation {

absl::StatusOr<RowOrigins> RowOrigins::create(const MemorySize &size) {
  RowOrigins rows;
  for (auto [space, units] :
       {std::pair(program::HBM, size.hbmRows), std::pair(program::VMEM, size.vmemRows),
        std::pair(program::SMEM, size.smemWords), std::pair(program::PINNED, size.pinnedRows)}) {
    absl::StatusOr<Reservation> reservation = Reservation::create(size_t(units) * sizeof(Origin));
    if (!reservation.ok())
      return reservation.status();
    rows.origins[size_t(space)] = *std::move(reservation);
  }
  rows.vmemWriters.resize(size_t(size.vmemRows));
  return rows;
}

void RowOrigins::reset() {
  for (Reservation &reservation : origins)
    reservation.clear();
}

void RowOrigins::forgetVmem() {
  if (Reservation &vmem = origins[program::VMEM]; vmem.size() > 0)
    std::memset(vmem.data(), 0, vmem.size());
  std::fill(vmemWriters.begin(), vmemWriters.end(), -1);
}

} // namespace systole::emulation
