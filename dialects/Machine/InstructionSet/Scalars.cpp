// The results of scalar instructions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/InstructionSet/Scalars.h"

namespace systole {

// The functions that expressions of the semantics call.
static int32_t s32(uint32_t x) { return int32_t(x); }
static uint32_t mulhiU(uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) * b >> 32); }
static uint32_t shl(uint32_t a, uint32_t b) { return b < 32 ? a << b : 0; }
static uint32_t shr(uint32_t a, uint32_t b) { return b < 32 ? a >> b : 0; }
static uint32_t sra(uint32_t a, uint32_t b) { return uint32_t(s32(a) >> (b < 32 ? b : 31)); }

uint32_t evaluateScalar(isa::Opcode opcode, uint32_t a0, uint32_t a1, uint32_t a2) {
#define SYSTOLE_SCALAR_ARGUMENTS1(x) [[maybe_unused]] uint32_t x = a0;
#define SYSTOLE_SCALAR_ARGUMENTS2(x, y) SYSTOLE_SCALAR_ARGUMENTS1(x) uint32_t y = a1;
#define SYSTOLE_SCALAR_ARGUMENTS3(x, y, z) SYSTOLE_SCALAR_ARGUMENTS2(x, y) uint32_t z = a2;
#define SYSTOLE_SCALAR_PICK(_1, _2, _3, name, ...) name
#define SYSTOLE_SCALAR_ARGUMENTS(...)                                                              \
  SYSTOLE_SCALAR_PICK(__VA_ARGS__, SYSTOLE_SCALAR_ARGUMENTS3, SYSTOLE_SCALAR_ARGUMENTS2,           \
                      SYSTOLE_SCALAR_ARGUMENTS1)(__VA_ARGS__)
#define SYSTOLE_SCALAR_OP(opcode, params, expr)                                                    \
  case isa::Opcode::opcode: {                                                                      \
    SYSTOLE_SCALAR_ARGUMENTS params return expr;                                                   \
  }
  switch (opcode) {
#include "dialects/Machine/InstructionSet/IsaSemantics.inc"
  default:
    return 0;
  }
}

bool isScalarArithmetic(isa::Opcode opcode) {
#define SYSTOLE_SCALAR_OP(opcode, params, expr) case isa::Opcode::opcode:
  switch (opcode) {
#include "dialects/Machine/InstructionSet/IsaSemantics.inc"
    return true;
  default:
    return false;
  }
}

} // namespace systole
