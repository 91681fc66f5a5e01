// Runs the loops of one stream of instructions beside those of another.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_INTERLEAVE_H
#define SYSTOLE_COMPILER_SCHEDULE_INTERLEAVE_H

#include "compiler/Schedule/MachineFunction.h"
#include "dialects/Machine/InstructionSet/Limits.h"

#include <map>

namespace systole::machine {

/// Loops in which a loop of products, the host, and another one, the guest, have iterations.
struct SharedLoops {
  struct Pair {
    NodeId guest, host;
    auto operator<=>(const Pair &) const = default;
  };
  /// By number (Node::shared).
  std::vector<Pair> pairs;
  /// The interval from which on a pair is not worth a loop, by number.
  std::vector<int32_t> limits;
  /// How often the share of a guest was halved for want of registers; from kMostHalvings on the
  /// pair has no loop.
  std::map<Pair, int> halvings;
  static constexpr int kMostHalvings = 2;
};

/// Replaces each Node::Kind::Interleave by one list of nodes, in which loops of products have
/// iterations of the other stream's loops in their bodies, as many as the units have room for. Uses
/// the halvings of `shared` and sets the rest of it.
void interleaveStreams(Function &f, const Limits &limits, SharedLoops &shared);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_INTERLEAVE_H
