// Partitions routines into overlays if the instruction memory is too small for all.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_EMIT_OVERLAYS_H
#define SYSTOLE_COMPILER_EMIT_OVERLAYS_H

#include "compiler/Emit/CodeLayout.h"

#include "absl/status/statusor.h"

namespace systole::machine {

struct InstructionMemory {
  int64_t bundles;
  int64_t latency;      // cycles before the first bundle of an overlay arrives
  double cycles;        // until the next one arrives
  double channelCycles; // of HBM's channel that a bundle takes
};

struct Overlay {
  std::vector<uint32_t> routines;
  int64_t address = 0; // in instruction memory, bundles
};

struct OverlayPlan {
  /// A single one if everything fits.
  std::vector<Overlay> overlays;
  OverlayUses uses;
};

/// Overlay 0 is resident: the entry, the routines that several of those it calls need, and the
/// routines called several times that would be loaded so often. Each other overlay is a routine
/// that the entry calls, with its callees. They follow one another around the rest of the memory,
/// in the order of their first calls, so that one can be loaded while the one before it runs, if
/// `startsEarly`.
/// ResourceExhausted names a routine that is too large.
absl::StatusOr<OverlayPlan> planOverlays(const Module &module,
                                         const std::vector<RoutineCode> &routines,
                                         InstructionMemory memory, bool startsEarly);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_EMIT_OVERLAYS_H
