// Estimates the costlier branch of a conditional without executing it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_CODE_BRANCHCOST_H
#define SYSTOLE_RUNTIME_EMULATOR_CODE_BRANCHCOST_H

#include <vector>

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/Code/Code.h"

namespace systole::emulation {

// For each bundle with an `if`, whether its then costs at least as much as its else. The estimate
// counts cycles without stalls and loops with their constant trip count (others once); a call costs
// at least the kernel's bytes divided by the rate of HBM.
std::vector<bool> costlierThen(const Program &program, const std::vector<isa::Bundle> &bundles,
                               const Code &code, const Target &target);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_CODE_BRANCHCOST_H
