// The MXUs of a core and their times.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_MXUSHAPE_H
#define SYSTOLE_COMPILER_MODEL_MXUSHAPE_H

#include <cstdint>

#include "compiler/Model/CodeBudget.h"
#include "dialects/Layout/MachineShape.h"

#include <algorithm>

namespace systole {

class Target;

/// Times are in cycles.
struct MxuShape {
  int count = 2;
  /// Tiles of 128 x 128 weights along each side of an MXU.
  int tiles = 1;
  /// Between pushes of eight rows, and until a result is ready.
  int pushInterval = 8, pushLatency = 136;
  /// Results that have not been popped, at most.
  int fifoDepth = 32;
  /// Of a budget: groups of eight rows in one step.
  int64_t mostGroups = CodeBudget().mostGroups();
  /// Between latches of eight rows of a tile, and of a swap.
  int latchInterval = 8, swapLatency = 2, swapInterval = 2;

  /// Until the weights of `used` tiles are exchanged.
  int64_t latchCycles(int64_t used) const {
    return kGroupsPerTile * used * latchInterval + swapLatency + swapInterval;
  }
  /// Pushes with `results` each whose results may not have been popped.
  int64_t pushesInFlight(int64_t results) const {
    return std::max<int64_t>(fifoDepth / results, 1);
  }
  /// Latches of a tile.
  static constexpr int64_t kGroupsPerTile = kLanes / kSublanes;
};

MxuShape mxuShapeOf(const Target &target, const CodeBudget &budget = {});

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_MXUSHAPE_H
