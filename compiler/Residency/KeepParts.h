// Parts of arrays that iterations of a loop load to VMEM while other kernels run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_RESIDENCY_KEEPPARTS_H
#define SYSTOLE_COMPILER_RESIDENCY_KEEPPARTS_H

#include "compiler/Residency/LoopSchedule.h"
#include "compiler/Tensor/CountedLoops.h"

namespace systole {

/// Decides which parts of arrays one loop loads ahead.
class PartKeeper {
public:
  /// `fusions`: all of the loop, in program order.
  PartKeeper(stablehlo::WhileOp loop, llvm::ArrayRef<FusionCalls> fusions, ResidentArrays &arrays);

  /// Keeps those that pay with what else VMEM keeps; whether there are more now.
  bool run();
  /// Moves the loads to where iterations start them.
  void placeLoads();
  /// Plans of fusions have changed.
  void forget(const KeepChange &change) { schedule.forget(change); }

private:
  /// A part of an array, at a position that is known an iteration ahead.
  struct Candidate : KeepCandidate {
    double bytes = 0;
    mlir::Operation *first = nullptr, *last = nullptr; ///< readers, in the body
    bool isResident = false;
  };
  /// A part that iterations load ahead, and what was there before.
  struct Part {
    Candidate *candidate;
    kernel::ResidentOp resident;
    KeepChange before;
    PartLoad load;
  };

  void findCandidates();
  std::optional<Candidate> candidateOf(kernel::PartOp part) const;
  bool mayKeep(const Candidate &candidate) const;
  bool keepEach();
  bool keepTogether();
  double cycles();
  bool prefetch(Candidate &candidate);
  void chooseStarts();
  void chooseStart(Part &part);
  void undoLast();

  stablehlo::WhileOp loop;
  llvm::ArrayRef<FusionCalls> fusions; ///< in one iteration
  ResidentArrays &arrays;
  const MachineModel &model;
  std::optional<CountedLoop> counted; ///< nothing: it loads no parts
  LoopSchedule schedule;
  int planCount = 0; ///< plans that were asked for
  llvm::SmallVector<Candidate> candidates;
  llvm::SmallVector<Part> parts; ///< that iterations load ahead
};

} // namespace systole

#endif // SYSTOLE_COMPILER_RESIDENCY_KEEPPARTS_H
