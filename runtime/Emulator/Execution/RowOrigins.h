// Timing only: the origins of what memories hold. What is unknown is not kept.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_ROWORIGINS_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_ROWORIGINS_H

#include <array>
#include <cstdint>
#include <vector>

#include "dialects/Machine/Program/program.pb.h"
#include "runtime/Emulator/Execution/Origins.h"
#include "runtime/Emulator/State/Memory.h"

namespace systole::emulation {

class RowOrigins {
public:
  // ResourceExhausted if the host has not that much address space.
  static absl::StatusOr<RowOrigins> create(const MemorySize &size);

  // All contents are known.
  void reset();

  // Of rows, and of words of SMEM.
  Origin *of(program::Space space) {
    return reinterpret_cast<Origin *>(origins[size_t(space)].data());
  }
  // VMEM has no contents that a kernel finds there.
  void forgetVmem();
  // Marks a row of VMEM that is written through a region, wholly or in part. The rest of the row
  // keeps its origin if it was written through the same region; else it is not in use any more.
  void markVmem(int64_t row, int32_t region, bool isWhole, Origin origin, Origins &sets) {
    Origin &mark = of(program::VMEM)[row];
    int32_t &writer = vmemWriters[size_t(row)];
    mark = isWhole || writer != region ? origin : sets.join(mark, origin);
    writer = region;
  }

private:
  std::array<Reservation, program::Space_ARRAYSIZE> origins;
  std::vector<int32_t> vmemWriters; // the region through which each row was written
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_ROWORIGINS_H
