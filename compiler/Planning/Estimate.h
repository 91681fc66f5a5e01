// The cost of a kernel in cycles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_ESTIMATE_H
#define SYSTOLE_COMPILER_PLANNING_ESTIMATE_H

#include "compiler/Planning/Blocking.h"

#include <array>
#include <memory>

namespace systole {

class GroupCosts;
class MachineModel;

/// Cycles of a kernel, and of the units that work in them.
struct Estimate {
  enum Unit { mxu, vector, load, store, crossLane, transcendental, hbm, unitCount };

  double cycles = 0;
  std::array<double, unitCount> busy{};
  /// Of the stages alone, as if operands and results were in VMEM.
  double stages = 0;

  /// The unit with the most work.
  Unit bound() const;
  /// Of `cycles`, where stages run beside the products of another step (Cost/Ahead.h): plans are
  /// chosen without, since how many registers that takes is known only after scheduling.
  double overlapped = 0;
  /// Bytes of VMEM that these stages hand on to others, with `overlapped`.
  int64_t handedOn = 0;

  /// Operands that the first step had better take in pieces.
  llvm::SmallVector<DividedOperand, 1> divided;

  /// Cycles in which stages wait for copies, or for nothing but latencies.
  double exposed() const { return cycles - stages; }
};

/// The name of a unit, as in reports.
llvm::StringRef nameOf(Estimate::Unit unit);

/// The cost of a kernel of `ops` (in program order, all in one block) with these blocks: nothing is
/// built. `precision`: passes of products of f32 that ask for the default.
Estimate estimateOf(llvm::ArrayRef<mlir::Operation *> ops, const Blocking &blocking,
                    const MachineModel &model, int precision);

/// Estimates of one group with one blocking after the other, which share what does not depend on
/// blocks.
class Estimator {
public:
  /// `ops` and `model` have to outlive this.
  Estimator(llvm::ArrayRef<mlir::Operation *> ops, const MachineModel &model, int precision);
  ~Estimator();

  /// With `overlaps`, `Estimate::overlapped` too.
  Estimate of(const Blocking &blocking, bool overlaps = false) const;

private:
  std::unique_ptr<GroupCosts> group;
  int precision;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_ESTIMATE_H
