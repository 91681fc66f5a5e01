// The work of loops on each slot and unit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_STREAMWORK_H
#define SYSTOLE_COMPILER_SCHEDULE_STREAMWORK_H

#include "compiler/Schedule/Reservation.h"

#include "llvm/ADT/DenseSet.h"

#include <array>

namespace systole::machine {

/// Cycles that instructions take of each kind of slot and of each unit.
struct StreamWork {
  std::array<double, isa::kSlotKinds + kBusyUnits> cycles{};

  StreamWork &operator+=(const StreamWork &other);
  StreamWork operator*(double times) const;
  /// Those of the busiest slot or unit.
  double most() const;
  /// Those of the busiest MXU.
  double products() const;
  /// How often `other` fits beside this in `total` cycles.
  double room(const StreamWork &other, double total) const;
};

/// The lifetimes of the values of a loop's body in vector registers.
struct VectorLifetimes {
  /// Sum over the values that are made in an iteration, each as late as its uses allow.
  double cycles = 0;
  /// Values from outside of the loop.
  llvm::DenseSet<RegId> invariant;
};
VectorLifetimes vectorLifetimes(const Function &f, const std::vector<InstId> &insts,
                                const Limits &limits);

/// Of one execution of the nodes; trip counts that are not known count as one.
StreamWork workOf(const Function &f, const std::vector<NodeId> &nodes, const Limits &limits);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_STREAMWORK_H
