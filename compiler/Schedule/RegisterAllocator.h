// Register allocation for a scheduled function.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_REGISTERALLOCATOR_H
#define SYSTOLE_COMPILER_SCHEDULE_REGISTERALLOCATOR_H

#include "compiler/Schedule/MachineFunction.h"
#include "dialects/Machine/InstructionSet/Limits.h"

namespace systole::machine {

/// The assumed number of iterations of a loop.
inline constexpr float kLoopWeight = 8;

/// A pipelined loop that must use fewer registers of a class.
struct LoopPressure {
  NodeId loop;
  RegClass cls;
  auto operator<=>(const LoopPressure &) const = default;
};

struct AllocationFailure {
  /// Registers (of the unscheduled function) to spill.
  std::vector<RegId> spill;
  std::vector<LoopPressure> loops;
  bool empty() const { return spill.empty() && loops.empty(); }
};

/// Sets RegInfo::phys of every accessed register, by linear scan over live ranges with
/// holes. On failure the function is unusable, and the result tells what to change before
/// it is scheduled again. A failure with neither spills nor loops means that no choice is
/// left.
struct Allocation {
  bool complete = false;
  AllocationFailure failure;
};
Allocation allocateRegisters(Function &f, const Limits &limits);

/// Removes moves of a register to itself from scheduled blocks.
void removeIdentityCopies(Function &f);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_REGISTERALLOCATOR_H
