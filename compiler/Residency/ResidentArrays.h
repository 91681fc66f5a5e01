// Arrays that VMEM keeps for several kernels: which can be, and plans that read or write them
// there.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_RESIDENCY_RESIDENTARRAYS_H
#define SYSTOLE_COMPILER_RESIDENCY_RESIDENTARRAYS_H

#include "compiler/Planning/Planner.h"
#include "compiler/Residency/VmemRows.h"
#include "dialects/StableHLO/StableHLO.h"

#include <optional>

namespace systole {

/// The trips of a loop; of an unknown number the fewest that are more than one.
int64_t tripsOf(stablehlo::WhileOp loop);

/// Whether the reader is a fusion that copies all that it reads of the array to VMEM in blocks.
bool isReadInBlocks(mlir::OpOperand &read);

/// Whether it is a result of a fusion, and of no other name, that is copied from VMEM in blocks.
bool isWrittenInBlocks(mlir::OpResult result);

/// An array that VMEM could keep: the operands and the result of fusions that are it.
struct KeepCandidate {
  mlir::Value array; ///< as the readers see it
  llvm::SmallVector<mlir::OpOperand *> reads = {};
  mlir::OpResult written = nullptr;
  bool isWhole = true; ///< in one block; otherwise the first reader chooses blocks
};

/// A fusion, and how often it runs each time that the block does which is looked at.
struct FusionCalls {
  kernel::FusionOp fusion;
  double calls;
};

/// Where an array is kept, and the plans of kernels with it.
struct KeepChange {
  llvm::SmallVector<int64_t, 4> block;
  int64_t place = 0; ///< rows before the end of VMEM
  double gain = 0;   ///< cycles that the kernels take less
  llvm::SmallVector<std::pair<kernel::FusionOp, kernel::PlanAttr>> plans = {};
  /// Other blocks of arrays that only one kernel reads.
  llvm::SmallVector<std::pair<kernel::ResidentOp, llvm::SmallVector<int64_t, 4>>> blocks = {};
};

/// The arrays that VMEM keeps in a program, and the plans of its kernels.
class ResidentArrays {
public:
  /// `vmem` has the rows of all that is kept, and gets those of what will be.
  ResidentArrays(Planner &planner, VmemRows &vmem) : plans(planner), vmem(vmem) {}

  Planner &planner() const { return plans; }
  /// How many plans were asked for.
  int planCount() const { return asked; }

  /// The fusions in `block`, each with a plan, in program order; nothing if one has none.
  std::optional<llvm::SmallVector<FusionCalls>> fusionsIn(mlir::Block &block);
  /// The same of one iteration of a loop.
  std::optional<llvm::SmallVector<FusionCalls>> fusionsIn(stablehlo::WhileOp loop);
  /// The plans if VMEM keeps the candidate during `lifetime`, in which `fusions` run; nothing if
  /// their cycles do not get fewer, or VMEM has no place.
  std::optional<KeepChange> changeFor(const KeepCandidate &candidate, kernel::Lifetime lifetime,
                                      llvm::ArrayRef<FusionCalls> fusions);
  /// Keeps `source` for `fusions`, by an operation where the builder is. `flag` is that of the
  /// copies which load it, or -1.
  kernel::ResidentOp keep(mlir::OpBuilder &b, mlir::Value source, const KeepChange &change,
                          kernel::Residency residency, int32_t flag,
                          llvm::ArrayRef<FusionCalls> fusions);

  /// The inverse of `change` for `undo`: the plans and blocks of now.
  KeepChange inverse(const KeepChange &change) const;
  /// Takes back what made `resident`, which nothing uses any more.
  void undo(kernel::ResidentOp resident, const KeepChange &before);

  /// `fusion` will be erased, since another one has its place.
  void replaced(kernel::FusionOp fusion) { footprints.erase(fusion); }

private:
  void apply(const KeepChange &change);
  bool fits(kernel::FusionOp fusion, int64_t place);
  /// The change with `rows` rows of VMEM less.
  std::optional<KeepChange> changeWithin(int64_t rows, const KeepCandidate &candidate,
                                         kernel::Lifetime lifetime,
                                         llvm::ArrayRef<FusionCalls> fusions);
  bool plan(const FusionCalls &call, const KeepCandidate &candidate, KeepChange &change);

  Planner &plans;
  int asked = 0;
  VmemRows &vmem;
  llvm::DenseMap<mlir::Operation *, int64_t> footprints; ///< of fusions with their plans
};

} // namespace systole

#endif // SYSTOLE_COMPILER_RESIDENCY_RESIDENTARRAYS_H
