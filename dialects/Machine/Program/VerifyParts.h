// The parts of the program verifier, combined by Verify.cpp.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_VERIFYPARTS_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_VERIFYPARTS_H

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/InstructionSet/Limits.h"
#include "dialects/Machine/Program/Program.h"

namespace systole::verify {

struct Context {
  const Program &program;
  const Limits &limits;
  std::span<const isa::Bundle> bundles;

  template <typename... Parts> absl::Status error(int64_t bundle, const Parts &...parts) const {
    const std::string where = describeBundle(program.header, bundle);
    return absl::InvalidArgumentError(absl::StrCat(
        "bundle ", bundle, where.empty() ? "" : absl::StrCat(" (", where, ")"), ": ", parts...));
  }
};

// The header against the machine's sizes, and the ranges of its code.
absl::Status checkMachine(const Context &context);
// Operands of each bundle on their own.
absl::Status checkBundle(const Context &context, int64_t bundle);
// Blocks, routines and calls. The others rely on it.
absl::Status checkStructure(const Context &context);
// Times and FIFOs of a routine whose structure has been checked.
absl::Status checkFlow(const Context &context, const program::Routine &routine);

// The lengths of the one or two blocks that follow a bundle: of its `loop`, `if`
// or `while`, and whether it has one.
struct Blocks {
  isa::Opcode opcode = isa::Opcode::none; // of the first instruction
  int count = 0;
  int32_t lengths[2] = {0, 0};
};
Blocks blocksOf(const isa::Bundle &bundle);

// Words of a row, in which copies of HBM and VMEM are counted.
inline constexpr int64_t kRowWords = isa::kLanes;

} // namespace systole::verify

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_VERIFYPARTS_H
