// The FIFO and the unit that an instruction uses, shared by the verifier
// and the emulator.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_UNITS_H
#define SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_UNITS_H

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/InstructionSet/Limits.h"

namespace systole {

// MXUs that the field `mxu` of an instruction can number.
inline constexpr int kMaxMxus = 8;
// Result FIFOs: XLU, EUP, vector to scalar, and one for each MXU.
inline constexpr int kXluFifo = 0, kEupFifo = 1, kToScalarFifo = 2, kMxuFifos = 3;
inline constexpr int kFifos = kMxuFifos + kMaxMxus;
// Resources that an issue interval occupies: XLU, EUP, vector to scalar,
// DMA, and of each MXU its pushes, its latch and its swap, in this order.
inline constexpr int kMxuPorts = 4;
inline constexpr int kPortsPerMxu = 3;
inline constexpr int kPorts = kMxuPorts + kPortsPerMxu * kMaxMxus;

// The MXU that an instruction names, else 0.
inline int mxuOf(const isa::Inst &inst) {
  const isa::InstInfo &info = isa::info(inst.opcode);
  if (info.unit == isa::Unit::Mxu)
    for (size_t i = 0; i < info.fields.size(); ++i)
      if (info.fields[i].name == "mxu")
        return inst.operands[i].value;
  return 0;
}

// The FIFO of a unit, that of number `mxu` for an MXU; -1 if it has none.
inline int fifoOf(isa::Unit unit, int mxu) {
  switch (unit) {
  case isa::Unit::Xlu:
    return kXluFifo;
  case isa::Unit::Eup:
    return kEupFifo;
  case isa::Unit::V2S:
    return kToScalarFifo;
  case isa::Unit::Mxu:
    return kMxuFifos + mxu;
  default:
    return -1;
  }
}

// The FIFO that an instruction pushes to or pops from, or -1.
inline int fifoOf(const isa::Inst &inst) {
  return fifoOf(isa::info(inst.opcode).unit, mxuOf(inst));
}

inline int fifoDepth(const Limits &limits, int fifo) {
  return fifo == kXluFifo        ? limits.xluFifoDepth
         : fifo == kEupFifo      ? limits.eupFifoDepth
         : fifo == kToScalarFifo ? limits.v2sFifoDepth
                                 : limits.mxuFifoDepth;
}

// Results that an instruction adds to its FIFO.
inline int resultsPushed(const isa::Inst &inst) {
  switch (inst.opcode) {
  case isa::Opcode::xlu_tr_end:
    return inst.operands[1].value;
  case isa::Opcode::mxu_push_wide:
    return inst.operands[3].value * inst.operands[4].value;
  default:
    return isa::info(inst.opcode).pushes;
  }
}

// The resource that an instruction, if it is one of an MXU of number `mxu`, occupies for its
// class's interval, or -1.
inline int portOf(const isa::InstInfo &info, int mxu) {
  if (info.slot != isa::Slot::Push)
    return -1;
  switch (info.unit) {
  case isa::Unit::Xlu:
    return 0;
  case isa::Unit::Eup:
    return 1;
  case isa::Unit::V2S:
    return 2;
  case isa::Unit::Dma:
    return 3;
  case isa::Unit::Mxu: {
    const int part = info.latency == isa::LatencyClass::mxu_push    ? 0
                     : info.latency == isa::LatencyClass::mxu_latch ? 1
                                                                    : 2;
    return kMxuPorts + kPortsPerMxu * mxu + part;
  }
  default:
    return -1;
  }
}

inline int portOf(const isa::Inst &inst) { return portOf(isa::info(inst.opcode), mxuOf(inst)); }

// Elements of a load's or store's type that a 32-bit cell of memory packs: 1,
// 2 or 4; 0 for other instructions.
inline int elementsPerCell(isa::Opcode opcode) {
  const isa::InstInfo &info = isa::info(opcode);
  if (info.slot != isa::Slot::Load && info.slot != isa::Slot::Store)
    return 0;
  if (info.mnemonic.ends_with("32"))
    return 1;
  return info.mnemonic.ends_with("16") ? 2 : 4;
}

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_UNITS_H
