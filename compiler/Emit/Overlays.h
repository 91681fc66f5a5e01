// Which routines share the instruction memory when not all fit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_EMIT_OVERLAYS_H
#define SYSTOLE_COMPILER_EMIT_OVERLAYS_H

#include "compiler/Emit/Layout.h"

#include "absl/status/statusor.h"

namespace systole::machine {

/// Overlay 0 holds the entry and all that more than one group needs and stays in
/// instruction memory; each other overlay holds routines that the entry calls,
/// with what they call, and replaces the one before. One list of routines for
/// each overlay; a single list if everything fits at once. `sizes` in bundles.
/// ResourceExhausted names the routine that is too large.
absl::StatusOr<std::vector<std::vector<uint32_t>>>
packOverlays(const Module &module, const std::vector<RoutineCode> &routines,
             int64_t memoryBundles);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_EMIT_OVERLAYS_H
