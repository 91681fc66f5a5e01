// Outermost loops of kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Grid.h"

#include <optional>

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/Disassembler.h"

namespace systole::debugger {

using isa::Opcode;

// The first instruction of a bundle, which is the one of the sequencer if it has one.
static std::optional<isa::Inst> firstOf(const Program &program, int64_t bundle) {
  auto decoded = isa::decode(program.code[size_t(bundle)], formatOf(program.header));
  if (!decoded.ok() || decoded->insts.empty())
    return std::nullopt;
  return decoded->insts.front();
}

std::vector<int64_t> gridSteps(const Program &program, const program::Kernel &kernel) {
  const program::Range *range = &kernel.bundles();
  std::vector<int64_t> steps;
  // Its routine calls none that has a grid: two ranges.
  for (int depth = 0; depth < 2 && steps.empty(); ++depth) {
    const program::Range *called = nullptr;
    for (int64_t at = range->begin(); at < range->end(); ++at) {
      const std::optional<isa::Inst> inst = firstOf(program, at);
      if (!inst)
        continue;
      if (inst->opcode == Opcode::call && !called)
        called = &program.header.routines(inst->operands[0].value).bundles();
      if (inst->opcode != Opcode::loop || inst->operands[1].value <= 0)
        continue;
      steps.push_back(at + 1);
      at += inst->operands[1].value;
    }
    if (!called)
      break;
    range = called;
  }
  if (steps.empty())
    steps.push_back(kernel.bundles().begin());
  return steps;
}

} // namespace systole::debugger
