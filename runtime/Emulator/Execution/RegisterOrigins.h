// Timing only: origins of the registers that an operation reads and writes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_REGISTERORIGINS_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_REGISTERORIGINS_H

#include "runtime/Emulator/Execution/Core.h"

namespace systole::emulation {

// Of the register at an offset.
inline Origin &originAt(Core &core, int32_t offset) {
  return core.known.registers[size_t(registerAtOffset(offset))];
}

// Of a scalar operand.
inline Origin originOf(const Core &core, const Op &op, int i) {
  int32_t offset = op.operands[size_t(i)];
  // Operands that the instruction does not have are offset 0, a vector register.
  bool isScalar = !(op.literals >> i & 1) && isScalarOffset(offset);
  return isScalar ? core.known.registers[size_t(registerAtOffset(offset))] : kKnown;
}

// Of all registers that an operation reads.
inline Origin originOfReads(const Core &core, const Op &op) {
  Origin origin = kKnown;
  for (int r = 0; r < op.numReads; ++r)
    if (Origin each = core.known.registers[op.reads[size_t(r)]]; each != kKnown)
      origin = core.known.join(origin, each);
  return origin;
}

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_REGISTERORIGINS_H
