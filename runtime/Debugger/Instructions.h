// The instructions of a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_INSTRUCTIONS_H
#define SYSTOLE_RUNTIME_DEBUGGER_INSTRUCTIONS_H

#include <cstdint>

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/Program.h"

namespace systole::debugger {

// Calls f(bundle, instruction) for each instruction in order.
template <typename F> void forEachInstruction(const Program &program, F f) {
  const isa::BundleFormat format = formatOf(program.header);
  for (size_t at = 0; at < program.code.size(); ++at)
    if (auto bundle = isa::decode(program.code[at], format); bundle.ok())
      for (const isa::Inst &inst : bundle->insts)
        f(int64_t(at), inst);
}

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_INSTRUCTIONS_H
