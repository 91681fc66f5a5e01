// Contents, ownership and used pages of a core's memories.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/Memory.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "dialects/Machine/InstructionSet/Isa.h"

namespace systole::emulation {

using program::Space;

static constexpr Space kSpaces[] = {program::HBM, program::VMEM, program::SMEM, program::PINNED};

absl::StatusOr<Memory> Memory::create(const MemorySize &size) {
  Memory memory;
  for (const Space space : kSpaces) {
    const bool isWords = space == program::SMEM;
    const int64_t units = space == program::HBM    ? size.hbmRows
                          : space == program::VMEM ? size.vmemRows
                          : isWords                ? size.smemWords
                                                   : size.pinnedRows;
    const auto bytes = size_t(units) * (isWords ? sizeof(uint32_t) : size_t(isa::kRowBytes));
    for (auto [to, count] :
         {std::pair(&memory.cells[size_t(space)], bytes),
          std::pair(&memory.ownersOf[size_t(space)], size_t(units) * sizeof(Owner))}) {
      absl::StatusOr<Reservation> reservation = Reservation::create(count);
      if (!reservation.ok())
        return reservation.status();
      *to = *std::move(reservation);
    }
    memory.pages[size_t(space)].reset(bytes);
  }
  memory.vmemReady.resize(size_t(size.vmemRows));
  memory.smemReady.resize(size_t(size.smemWords));
  return memory;
}

void Memory::reset() {
  for (const Space space : {program::VMEM, program::SMEM}) {
    cells[size_t(space)].clear();
    pages[size_t(space)].reset(bytes(space));
  }
  for (Reservation &owners : ownersOf)
    owners.clear();
  std::fill(vmemReady.begin(), vmemReady.end(), 0);
  std::fill(smemReady.begin(), smemReady.end(), 0);
  lastVmemReady = lastSmemReady = 0;
  copiesOnVmem = copiesOnSmem = 0;
}

void Memory::noteWrite(Space space, size_t offset, size_t count) {
  assert(offset <= bytes(space) && count <= bytes(space) - offset && "a range of the memory");
  if (count == 0)
    return;
  Pages &written = pages[size_t(space)];
  const size_t last = (offset + count - 1) / Pages::kBytes;
  for (size_t page = offset / Pages::kBytes; page <= last; ++page) {
    if (space == program::HBM && !written.isUsed(page)) {
      touched += Pages::kBytes;
      peak = std::max(peak, touched);
    }
    written.write(page);
  }
}

void Memory::releaseHbm(size_t offset, size_t count) {
  cells[program::HBM].release(offset, count);
  Pages &hbm = pages[program::HBM];
  size_t begin = (offset + Pages::kBytes - 1) / Pages::kBytes,
         end = (offset + count) / Pages::kBytes;
  for (size_t page = begin; page < end; ++page) {
    touched -= hbm.isUsed(page) ? int64_t(Pages::kBytes) : 0;
    hbm.release(page);
  }
  // Pages of the host are smaller: parts of the first and the last page may be zero now.
  for (const size_t page : {offset / Pages::kBytes, (offset + count) / Pages::kBytes})
    if (page < hbm.size() && hbm.isUsed(page))
      hbm.write(page);
}

void Memory::releaseAll() {
  reset();
  for (const Space space : {program::HBM, program::PINNED}) {
    cells[size_t(space)].clear();
    pages[size_t(space)].reset(bytes(space));
  }
  touched = 0;
}

} // namespace systole::emulation
