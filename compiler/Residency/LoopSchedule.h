// When the kernels of a loop run, and when parts that they read arrive.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_RESIDENCY_LOOPSCHEDULE_H
#define SYSTOLE_COMPILER_RESIDENCY_LOOPSCHEDULE_H

#include "compiler/Residency/ResidentArrays.h"

namespace systole {

/// A copy of each iteration of a loop to VMEM, in flight while kernels run.
struct PartLoad {
  double cycles = 0;      ///< of HBM's channel
  mlir::Operation *first; ///< the first reader, in the body
  mlir::Operation *last;  ///< the last one
  /// In front of which operation an iteration starts it; null behind `last`, for the next
  /// iteration.
  mlir::Operation *start = nullptr;
};

/// The time line of a loop. HBM's channel serves copies in the order in which they start, so that
/// kernels with operands in HBM wait for the loads that have started before them.
class LoopSchedule {
public:
  /// `fusions`: all of the loop, in program order.
  LoopSchedule(stablehlo::WhileOp loop, int64_t trips, llvm::ArrayRef<FusionCalls> fusions,
               const PlanningContext &machine);

  /// Cycles of all iterations, with the loads in front of the first one.
  double cyclesOf(llvm::ArrayRef<PartLoad> loads);
  /// Cycles of one call in which HBM has nothing to do.
  double idleCycles(kernel::FusionOp fusion);
  /// Plans of fusions have changed.
  void forget(const KeepChange &change);

private:
  struct Timing {
    double cycles = 0, hbm = 0;
    bool reads = false; ///< arrays in HBM
  };
  const Timing &timingOf(kernel::FusionOp fusion);

  mlir::Block *body;
  int64_t trips;
  llvm::ArrayRef<FusionCalls> fusions;
  llvm::SmallVector<mlir::Operation *> places; ///< the operations of the body that have them
  const PlanningContext &machine;
  llvm::DenseMap<mlir::Operation *, Timing> timings;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_RESIDENCY_LOOPSCHEDULE_H
