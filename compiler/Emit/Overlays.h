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
  /// As many as could be loaded before the first one of an overlay is there.
  int64_t latencyBundles;
};

/// Overlay 0 is resident: the entry, the routines that several of those it calls need, and the
/// routines called several times that would be loaded so often. Each other overlay contains
/// routines that the entry calls, with their callees, and replaces the previous one. Returns a list
/// of routines for each overlay; a single list if everything fits. ResourceExhausted names a
/// routine that is too large.
absl::StatusOr<std::vector<std::vector<uint32_t>>>
packOverlays(const Module &module, const std::vector<RoutineCode> &routines,
             InstructionMemory memory);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_EMIT_OVERLAYS_H
