// Where the spilled registers of all routines are.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_EMIT_SPILLFRAMES_H
#define SYSTOLE_COMPILER_EMIT_SPILLFRAMES_H

#include "compiler/Schedule/Backend.h"
#include "compiler/Schedule/MachineFunction.h"

#include "absl/status/statusor.h"

#include <vector>

namespace systole::machine {

/// A routine's frame lies above those of all routines that call it, and above the buffers of
/// all kernels.
struct SpillFrames {
  struct Extent {
    int64_t rows = 0, words = 0; // of VMEM and SMEM
  };
  /// By routine, from the first frame on.
  std::vector<Extent> base;
  Extent size;
  /// Callers above one another, and the largest frame of a routine that calls none.
  int64_t callDepth = 0, leafWords = 0;
};

/// InvalidArgument if a routine calls itself.
absl::StatusOr<SpillFrames> placeSpillFrames(const Module &module);

/// Restricts the frames of another run of the backend to `words` of SMEM. Routines that call
/// none, where loops are, get what they need of it, up to half.
void restrictFrames(const SpillFrames &frames, int64_t words, BackendOptions &options);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_EMIT_SPILLFRAMES_H
