// Verifies that overlays are in instruction memory when their code is called.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_VERIFY_VERIFYOVERLAYS_H
#define SYSTOLE_COMPILER_VERIFY_VERIFYOVERLAYS_H

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/Program.h"

#include "absl/status/status.h"

#include <span>

namespace systole::verify {

/// On every path the entry routine waits for the overlay of each routine that it calls, and begins
/// to load none over it meanwhile. Internal names the first call for which that does not hold.
absl::Status verifyOverlays(const Program &program, std::span<const isa::Bundle> bundles);

} // namespace systole::verify

#endif // SYSTOLE_COMPILER_VERIFY_VERIFYOVERLAYS_H
