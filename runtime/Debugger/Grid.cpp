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

int64_t gridStep(const Program &program, const program::Kernel &kernel) {
  const program::Range *range = &kernel.bundles();
  int64_t begin = -1, length = 0;
  // Its routine calls none that has a grid: two ranges.
  for (int depth = 0; depth < 2 && begin < 0; ++depth) {
    const program::Range *called = nullptr;
    for (int64_t at = range->begin(); at < range->end(); ++at) {
      const std::optional<isa::Inst> inst = firstOf(program, at);
      if (!inst)
        continue;
      if (inst->opcode == Opcode::call && !called)
        called = &program.header.routines(inst->operands[0].value).bundles();
      if (inst->opcode != Opcode::loop || inst->operands[1].value <= 0)
        continue;
      // Others fill or move parts of blocks.
      if (inst->operands[1].value > length) {
        begin = at + 1;
        length = inst->operands[1].value;
      }
      at += inst->operands[1].value;
    }
    if (!called)
      break;
    range = called;
  }
  return begin < 0 ? kernel.bundles().begin() : begin;
}

} // namespace systole::debugger
