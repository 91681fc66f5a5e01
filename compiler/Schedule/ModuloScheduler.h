// Modulo scheduling: assigns a start time to each instruction of a loop's body such that a new
// iteration can start every `ii` cycles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_MODULOSCHEDULER_H
#define SYSTOLE_COMPILER_SCHEDULE_MODULOSCHEDULER_H

#include "compiler/Schedule/Dependence.h"

#include <array>
#include <optional>

namespace systole::machine {

struct ModuloSchedule {
  int32_t ii = 0;             // cycles between starts of iterations
  std::vector<int32_t> times; // of one iteration, from its start
  int32_t stages = 0;         // iterations in flight
  int32_t unroll = 1;         // names that each value needs
  int32_t end = 0;            // cycles until the results of one iteration are ready
  /// Values of each class that are live at once in the kernel.
  std::array<int, kRegClasses> registers{};
};

/// A schedule that was given up since the budget lacks registers of each class.
struct RegisterLack {
  int32_t ii;
  std::array<int, kRegClasses> registers;
};

struct ModuloOptions {
  /// Registers of each class for the loop's own values.
  std::array<int, kRegClasses> budget = {isa::kVectorRegisters, isa::kMaskRegisters - 1,
                                         isa::kScalarRegisters};
  int32_t leastII = 1;
  /// Give up at this interval: the list schedule is as fast.
  int32_t limitII = 1 << 20;
  /// If registers do not suffice, let parts of the body that are independent of each other start
  /// one after the other.
  bool mayStagger = false;
  /// Rounds of moving instructions as late as their readers allow; each can move a recurrence by
  /// one interval.
  int mostSinks = 4;
  /// The maximum number of bundles of the unrolled kernel.
  int32_t maxKernel = 640;
};

/// `graph` is the result of DependenceBuilder::loop for the body of `loop`; nullopt if there is no
/// schedule below the limit. Adds those that registers refused to `lacks`.
std::optional<ModuloSchedule> moduloSchedule(const Function &f, const Node &loop,
                                             std::span<const InstId> insts,
                                             const DependenceGraph &graph, const Limits &limits,
                                             const ModuloOptions &options,
                                             std::vector<RegisterLack> &lacks);

/// The smallest interval that slots, units and FIFOs allow.
int32_t resourceII(const Function &f, std::span<const InstId> insts, const DependenceGraph &graph,
                   const Limits &limits);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_MODULOSCHEDULER_H
