// Assigns spill frames to routines.
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

/// The spill frames of all routines. A routine's frame is above those of its callers, and above the
/// buffers of all kernels.
struct SpillFrames {
  struct Extent {
    int64_t rows = 0, words = 0; // of VMEM and SMEM
  };
  /// By routine, relative to the first frame.
  std::vector<Extent> base;
  Extent size;
  /// The maximum call depth, and the largest frame of a leaf routine.
  int64_t callDepth = 0, leafWords = 0;
};

/// InvalidArgument for recursion.
absl::StatusOr<SpillFrames> placeSpillFrames(const Module &module);

/// Limits the frames of another run of the backend to `words` words of SMEM. Leaf routines, which
/// contain the loops, get as much as they need, up to half.
void restrictFrames(const SpillFrames &frames, int64_t words, BackendOptions &options);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_EMIT_SPILLFRAMES_H
