// Changes of programs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_MUTATIONS_H
#define SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_MUTATIONS_H

#include <random>
#include <utility>

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/Program.h"

namespace systole::test {

// A change that keeps the encoding valid: an operand, an opcode with the same
// operands, a delay, two bundles exchanged.
inline void mutateCode(Program &program, std::mt19937 &random) {
  size_t at = random() % program.code.size();
  isa::Bundle bundle = *isa::decode(program.code[at]);
  switch (random() % 8) {
  case 0:
    std::swap(program.code[at], program.code[random() % program.code.size()]);
    return;
  case 1:
    bundle.delay = uint16_t(random() % 3 ? random() % 8 : random());
    break;
  case 2:
    if (!bundle.insts.empty()) {
      isa::Inst &inst = bundle.insts[random() % bundle.insts.size()];
      inst.opcode = isa::Opcode(1 + random() % (size_t(isa::Opcode::count_) - 1));
    }
    break;
  default:
    if (!bundle.insts.empty()) {
      isa::Inst &inst = bundle.insts[random() % bundle.insts.size()];
      size_t fields = isa::info(inst.opcode).fields.size();
      if (fields == 0)
        return;
      isa::Operand &operand = inst.operands[random() % fields];
      constexpr int32_t interesting[] = {0, 1, -1, 7, 8, 31, 128, 255, 4095, INT32_MAX, INT32_MIN};
      bool isImmediate = operand.kind == isa::Operand::Kind::Immediate;
      operand.value = isImmediate && random() % 2 ? interesting[random() % std::size(interesting)]
                      : isImmediate               ? int32_t(random())
                                                  : int32_t(random() % 32);
    }
  }
  absl::StatusOr<isa::EncodedBundle> encoded = isa::encode(bundle);
  if (encoded.ok())
    program.code[at] = *encoded;
}

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_MUTATIONS_H
