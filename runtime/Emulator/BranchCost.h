// Which branch of a conditional is the costlier one, without running it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_BRANCHCOST_H
#define SYSTOLE_RUNTIME_EMULATOR_BRANCHCOST_H

#include <vector>

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/Code.h"

namespace systole::emulation {

// For each bundle with an `if`, whether its then costs at least as much as its else. Estimated from
// cycles without stalls, loops of a constant number of trips (others count once), and of calls the
// larger of that and the kernel's bytes over the rate of HBM.
std::vector<bool> costlierThen(const Program &program, const std::vector<isa::Bundle> &bundles,
                               const Code &code, const Target &target);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_BRANCHCOST_H
