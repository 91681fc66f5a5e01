// Fuses neighbouring loops of the same number of iterations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_LOOPFUSION_H
#define SYSTOLE_COMPILER_SCHEDULE_LOOPFUSION_H

#include "compiler/Schedule/ModuloScheduler.h"

#include <map>

namespace systole::machine {

/// The fused loops of a function.
struct FusedLoops {
  struct Loop {
    std::vector<NodeId> parts; ///< the loops in it, as they were before
    /// The cycles of an iteration on the busiest unit of each part, added up.
    int32_t limitII = 0;
  };
  /// By node, which is that of the first part.
  std::map<NodeId, Loop> loops;
  /// See ModuloOptions: the last parts of a fused loop begin many intervals after the first ones.
  static constexpr int kMostSinks = 32;
  /// The largest number of loops that may become one with this one, where that is limited.
  std::map<NodeId, size_t> limits;

  /// Whether `n` is a fused loop that takes longer than its parts, one after the other and each
  /// filled while the one before it drains. `trips` is the number of iterations.
  bool isSlowerThanParts(NodeId n, int64_t trips, const ModuloSchedule &schedule) const;
  /// Lets at most half as many loops become one with any of its parts.
  void halve(NodeId n) {
    const std::vector<NodeId> &parts = loops.at(n).parts;
    for (NodeId part : parts)
      limits[part] = parts.size() / 2;
  }
};

/// Fuses innermost loops of the same constant number of iterations that follow one another, with
/// no more than blocks between them:
///
///   loop n { a }; block b; loop n { c }    becomes    block b; loop n { a; c }
///
/// if no iteration of the second depends on a later one of the first, and the block may run before
/// both or behind both. The loop then takes the cycles of the busiest unit, not the sum of those of
/// each loop's, and fills and drains once. `f` is in SSA form. Honours `fused.limits`, and sets
/// `fused.loops`.
void fuseLoops(const Module &module, Function &f, const Limits &limits, FusedLoops &fused);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_LOOPFUSION_H
