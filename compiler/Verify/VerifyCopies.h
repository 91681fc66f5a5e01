// Verifies copies in flight, sync flags and overlays of an emitted program, over all its paths.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_VERIFY_VERIFYCOPIES_H
#define SYSTOLE_COMPILER_VERIFY_VERIFYCOPIES_H

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/InstructionSet/Limits.h"
#include "dialects/Machine/Program/Program.h"

#include "absl/status/statusor.h"

#include <span>
#include <string>
#include <vector>

namespace systole {

struct CopyVerification {
  /// Routines without a verdict: too much in them depends on data, or they take too long.
  std::vector<std::string> unverified;
};

/// Verifies a program of this compiler, which verifyProgram has accepted: each wait is met on every
/// path, each path leaves flags as it found them, no code or copy touches rows of VMEM or words of
/// SMEM that a copy in flight uses, the queue has room for all copies, routines begin and end
/// without copies in flight, and each overlay has been waited for when it is called. Programs of
/// others may be right in ways that it does not see. Internal names the first fault.
absl::StatusOr<CopyVerification> verifyCopies(const Program &program, const Limits &limits,
                                              std::span<const isa::Bundle> bundles);

} // namespace systole

#endif // SYSTOLE_COMPILER_VERIFY_VERIFYCOPIES_H
