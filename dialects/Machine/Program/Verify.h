// The machine's rules, checked on a whole program before it runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_VERIFY_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_VERIFY_H

#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/InstructionSet/Limits.h"
#include "dialects/Machine/Program/Program.h"

namespace systole {

// Decodes every bundle. InvalidArgument names the first that is malformed.
absl::StatusOr<std::vector<isa::Bundle>> decodeProgram(const Program &program);

// Whether a program may run on a machine: its header is consistent and fits the
// machine's memories; its control is structured, without recursion, and within the
// machine's depths; every index, region, descriptor and constant operand is in range;
// FIFOs balance over every block and never over- or underflow; within straight code
// no result is read before it arrives and no unit is pushed while busy. Properties
// that depend on data are checked by the emulator's traps. InvalidArgument "bundle 12
// (kernel `k`, at file.py:3): ...", at the first violation.
absl::Status verifyProgram(const Program &program, const Limits &limits);
// The same for bundles returned by decodeProgram.
absl::Status verifyProgram(const Program &program, const Limits &limits,
                           std::span<const isa::Bundle> bundles);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_VERIFY_H
