// A core's state between two steps of a run, for reading.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_COREVIEW_H
#define SYSTOLE_RUNTIME_EMULATOR_COREVIEW_H

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "dialects/Machine/Program/program.pb.h"

namespace systole {

namespace emulation {
class Core;
} // namespace emulation

// Where control is.
struct ProgramPoint {
  int64_t cycle = 0;     // at which `bundle` issues, as far as is known
  int64_t bundle = -1;   // to issue next; of a core that waits, the one with the wait; -1 if halted
  int64_t last = -1;     // the bundle that issued last, or -1
  int64_t lastCycle = 0; // and when
  int kernel = -1;       // index into the header's kernels, or -1
  bool isWaiting = false, hasHalted = false;
  bool isBlocked = false; // it waits for another core, and no message is on its way
  std::vector<int> callers;       // kernels of the calls that are open, the outermost first
  std::vector<int32_t> loopsLeft; // iterations of the loops that are open, the outermost first
};

// A copy in flight.
struct CopyView {
  int64_t begin = 0, finish = 0; // cycles from which it moves data, and at which it is done
  int flag = 0;
  program::Space from = program::HBM, to = program::HBM;
  int64_t firstFrom = 0, firstTo = 0; // words
  int64_t words = 0;
};

// Valid until the emulator executes or is restored. Registers of a run that is not interpreted are
// those that some instruction still reads.
class CoreView {
public:
  explicit CoreView(const emulation::Core &core) : state(&core) {}

  ProgramPoint point() const;

  // Of isa::kScalarRegisters; 1,024 cells of isa::kVectorRegisters and of isa::kMaskRegisters.
  uint32_t scalar(int number) const;
  absl::Span<const uint32_t> vector(int number) const;
  absl::Span<const uint32_t> mask(int number) const;
  int32_t flag(int number) const;
  std::vector<CopyView> copies() const;

  // Words of a memory: of HBM and pinned memory, of the program's plan. OutOfRange if there are no
  // such words.
  absl::Status read(program::Space space, int64_t first, absl::Span<uint32_t> words) const;

private:
  const emulation::Core *state;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_COREVIEW_H
