// Machine registers for the virtual registers of a scheduled function.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_REGISTERALLOCATOR_H
#define SYSTOLE_COMPILER_SCHEDULE_REGISTERALLOCATOR_H

#include "compiler/Schedule/MachineFunction.h"
#include "dialects/Machine/InstructionSet/Limits.h"

namespace systole::machine {

struct AllocationFailure {
  /// Registers (of the unscheduled function) that should live in memory.
  std::vector<RegId> spill;
  /// Pipelined loops that need fewer registers.
  std::vector<NodeId> loops;
  bool empty() const { return spill.empty() && loops.empty(); }
};

/// Sets RegInfo::phys of every register that is accessed, by linear scan over
/// live ranges with holes. If registers run out, nothing is usable but the
/// answer: what to change before the function is scheduled again. A failure
/// with neither spills nor loops means that no choice is left.
struct Allocation {
  bool complete = false;
  AllocationFailure failure;
};
Allocation allocateRegisters(Function &f, const Limits &limits);

/// Removes moves of a register to itself from scheduled blocks.
void removeIdentityCopies(Function &f);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_REGISTERALLOCATOR_H
