// A core's registers, and the numbers of registers and units.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_REGISTERS_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_REGISTERS_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/InstructionSet/Units.h"
#include "runtime/Emulator/Vector/Kernels.h"

namespace systole::emulation {

// The most instructions of some slots in a bundle.
constexpr int mostOf(std::initializer_list<isa::Slot> slots) {
  int count = 0;
  for (isa::Slot slot : slots)
    count += isa::kMaxSlots[size_t(slot)];
  return count;
}

// Cells from a register to the next. The same sublane of different registers is in different sets
// of the host's first cache.
inline constexpr int kRegisterPitch = kCells + isa::kLanes;

// Registers of a core; additional ones hold results of a bundle whose instructions
// exchange registers, until all of its instructions have read their operands.
struct alignas(64) Registers {
  static constexpr int kVectors =
      isa::kVectorRegisters + mostOf({isa::Slot::Vector, isa::Slot::Load, isa::Slot::Pop});
  static constexpr int kMasks = isa::kMaskRegisters + mostOf({isa::Slot::Vector});
  static constexpr int kScalars =
      isa::kScalarRegisters + mostOf({isa::Slot::Scalar, isa::Slot::Pop});
  uint32_t v[kVectors][kRegisterPitch];
  uint32_t m[kMasks][kRegisterPitch];
  uint32_t s[kScalars];
};

// One number for every register: scalars, then vectors, then masks.
inline constexpr int kVectorBase = Registers::kScalars;
inline constexpr int kMaskBase = kVectorBase + Registers::kVectors;
inline constexpr int kRegisters = kMaskBase + Registers::kMasks;
inline constexpr uint8_t kNoRegister = 0xff;
// The byte of Registers at which a register begins, and the register that begins there.
int32_t offsetOfRegister(int reg);
int registerAtOffset(int32_t offset);
// The number of the mask that begins there, or kNoRegister.
uint8_t maskAtOffset(int32_t offset);
inline bool isScalarOffset(int32_t offset) { return offset >= int32_t(offsetof(Registers, s)); }
// "s3", "v17", "m1".
std::string registerName(int reg);

// Units with a FIFO have its number.
inline constexpr int kXlu = kXluFifo, kEup = kEupFifo, kToScalar = kToScalarFifo, kMxu = kMxuFifos;
// Units that are busy for an interval: these, the MXUs' latches and swaps, the
// copy engine.
inline constexpr int kLatch = kFifos, kSwap = kLatch + kMaxMxus, kDma = kSwap + kMaxMxus;
inline constexpr int kBusyUnits = kDma + 1;

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_REGISTERS_H
