// List scheduling of a block: assigns instructions to slots of bundles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_LISTSCHEDULER_H
#define SYSTOLE_COMPILER_SCHEDULE_LISTSCHEDULER_H

#include "compiler/Schedule/Dependence.h"

#include <array>

namespace systole::machine {

/// The distinct shared immediates of one bundle.
class ImmediateSet {
public:
  explicit ImmediateSet(const isa::BundleFormat &format) : most(format.immediates) {}
  void clear() { count = 0; }
  /// Adds the shared immediates of an instruction; returns false, without changes, if they do not
  /// all fit.
  bool add(const Function &f, InstId i);
  bool addValue(int32_t value);

private:
  int most;
  std::array<int32_t, isa::kMaxImmediates> values;
  int count = 0;
};

struct BlockSchedule {
  std::vector<int32_t> cycles; // by index in the block
  /// Cycles until every result is ready and every unit is idle.
  int32_t length = 0;
};

struct ListOptions {
  /// Registers of each class for the values of the block. The scheduler exceeds them only if
  /// program order does.
  std::array<int, kRegClasses> budget = {isa::kVectorRegisters, isa::kMaskRegisters - 1,
                                         isa::kScalarRegisters};
  /// Registers that are live across blocks, by RegId.
  const std::vector<bool> *global = nullptr;
  /// Keep program order, which takes the fewest registers and the most cycles.
  bool inOrder = false;
};

BlockSchedule listSchedule(const Function &f, std::span<const InstId> insts,
                           const DependenceGraph &graph, const Limits &limits,
                           const ListOptions &options);

/// Cycles from an instruction's issue until its result is ready and its unit idle.
int settleCycles(const Limits &limits, isa::Opcode opcode);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_LISTSCHEDULER_H
