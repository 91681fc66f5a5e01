// Fuses neighbouring loops of the same number of iterations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_LOOPFUSION_H
#define SYSTOLE_COMPILER_SCHEDULE_LOOPFUSION_H

#include "compiler/Schedule/ModuloScheduler.h"

#include <map>

namespace systole::machine {

/// The fused loops of a function, each by the node of its first loop, which it has.
struct FusedLoops {
  struct Loop {
    int count = 0; ///< of the loops in it
    /// The cycles of an iteration on the busiest units of all of them, one loop after the other.
    int32_t limitII = 0;
  };
  std::map<NodeId, Loop> loops;
  /// See ModuloOptions: the last loops of a fused one begin many intervals after the first ones.
  static constexpr int kMostSinks = 32;
  /// How many loops may become one at most, where that is limited.
  std::map<NodeId, int> most;

  /// Whether `n` is a fused loop of `trips` iterations that takes longer than its parts one after
  /// the other, whose first iterations may overlap with the last ones of those before.
  bool isSlowerThanParts(NodeId n, int64_t trips, const ModuloSchedule &schedule) const;
  /// Lets half as many loops become one from now on.
  void halve(NodeId n) { most[n] = loops.at(n).count / 2; }
};

/// Fuses innermost loops of the same constant number of iterations that follow one another, with
/// no more than blocks between them:
///
///   loop n { a }; block b; loop n { c }    becomes    block b; loop n { a; c }
///
/// if no iteration of the second depends on a later one of the first, and the block may run before
/// both or behind both. The loop then takes the cycles of the busiest unit, not the sum of those of
/// each loop's, and fills and drains once. `f` is in SSA form. Honours `fused.most` and sets the
/// rest of it.
void fuseLoops(const Module &module, Function &f, const Limits &limits, FusedLoops &fused);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_LOOPFUSION_H
