// The FIFO and the unit that an instruction uses.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_UNITS_H
#define SYSTOLE_COMPILER_SCHEDULE_UNITS_H

#include "compiler/Schedule/MachineFunction.h"
#include "dialects/Machine/InstructionSet/Limits.h"
#include "dialects/Machine/InstructionSet/Units.h"

#include <cassert>

namespace systole::machine {

// Numbered like encoded instructions in
// dialects/Machine/InstructionSet/Units.h.
inline constexpr int kQueues = kFifos;
inline constexpr int kBusyUnits = kPorts;

inline int mxuOf(const Function &f, InstId i) {
  int field = traits(f.insts[i].opcode).mxuField;
  assert((field < 0 || f.ops(i)[field].isImm()) && "instructions name their MXU by number");
  return field < 0 ? 0 : f.ops(i)[field].value;
}

/// The FIFO that the instruction pushes to or pops from, or -1.
inline int queueOf(const Function &f, InstId i) {
  return fifoOf(isa::info(f.insts[i].opcode).unit, mxuOf(f, i));
}

/// The unit that the instruction occupies for its interval, or -1.
inline int busyUnitOf(const Function &f, InstId i) {
  return portOf(isa::info(f.insts[i].opcode), mxuOf(f, i));
}

/// The number of results that the instruction adds to its FIFO.
inline int pushCount(const Function &f, InstId i) {
  isa::Opcode opcode = f.insts[i].opcode;
  if (traits(opcode).transposeEnd)
    return f.ops(i)[1].value;
  if (opcode == isa::Opcode::mxu_push_wide)
    return f.ops(i)[3].value * f.ops(i)[4].value;
  return isa::info(opcode).pushes;
}

inline int queueDepth(const Limits &limits, int queue) { return fifoDepth(limits, queue); }

inline int latencyOf(const Limits &limits, isa::Opcode opcode) {
  return limits.latency(isa::info(opcode).latency).cycles;
}
inline int intervalOf(const Limits &limits, isa::Opcode opcode) {
  return limits.latency(isa::info(opcode).latency).interval;
}

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_UNITS_H
