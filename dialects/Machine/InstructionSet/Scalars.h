// The results of scalar instructions, shared by the emulator and the compiler's verifiers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_SCALARS_H
#define SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_SCALARS_H

#include "dialects/Machine/InstructionSet/Isa.h"

namespace systole {

// Operands as SYSTOLE_SCALAR_OP names them; 0 for other instructions.
uint32_t evaluateScalar(isa::Opcode opcode, uint32_t a, uint32_t b, uint32_t c);

// Whether the instruction is pure arithmetic on scalars.
bool isScalarArithmetic(isa::Opcode opcode);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_SCALARS_H
