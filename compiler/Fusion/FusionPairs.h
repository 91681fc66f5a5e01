// One kernel for two fusions: whether that is possible, and what it takes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_FUSION_FUSIONPAIRS_H
#define SYSTOLE_COMPILER_FUSION_FUSIONPAIRS_H

#include "compiler/Planning/Planner.h"
#include "dialects/Kernel/Kernel.h"

namespace systole {

/// Why two fusions cannot share a kernel, whatever that would take.
enum class Obstacle {
  None,
  Indexed,    ///< one moves elements at computed positions
  Alone,      ///< one has no plan by which others may join it
  Products,   ///< each has a product
  Order,      ///< neither can run where the other one does
  Operations, ///< they have too many together
  Operands,   ///< the same
  Plan,       ///< no kernel can do both
  Alias,      ///< one reads the other's result under another shape
};
/// In words; `which` of the two is named by those that are a matter of one.
std::string textOf(Obstacle obstacle, llvm::StringRef which = "one");

/// Two fusions, in program order, as one.
struct FusionPair {
  Obstacle obstacle = Obstacle::None;
  /// Of both, beside them; null if an obstacle was found without it.
  kernel::FusionOp merged;
  /// The results of the two that those of `merged` stand for.
  llvm::SmallVector<mlir::Value> replaced;
  double oneKernel = 0, twoKernels = 0; ///< cycles; 0 with an obstacle

  bool pays() const { return obstacle == Obstacle::None && oneKernel < twoKernels; }
};

/// Pairs of the fusions of one block.
class FusionPairs {
public:
  FusionPairs(mlir::Block &block, Planner &planner);

  std::optional<Plan> plan(kernel::FusionOp fusion) const;
  /// Why nothing may join `fusion`.
  Obstacle ownObstacle(kernel::FusionOp fusion) const;
  /// An obstacle that is found without making one fusion of a producer and its reader.
  Obstacle obstacleOf(kernel::FusionOp producer, kernel::FusionOp reader) const;

  /// Makes one fusion of two, which stay.
  FusionPair merge(kernel::FusionOp first, kernel::FusionOp second) const;
  /// Erases the fusion of a pair.
  void discard(FusionPair &pair) const;

private:
  bool canHoist(kernel::FusionOp fusion, mlir::Operation *place) const;
  bool canSink(kernel::FusionOp fusion, mlir::Operation *place) const;
  /// Cycles of the copies of loop-carried values that `kernel`, whose results stand for `replaced`,
  /// those of `fusions`, cannot write over the old ones.
  double copyCyclesOf(kernel::FusionOp kernel, mlir::ValueRange replaced,
                      llvm::ArrayRef<kernel::FusionOp> fusions) const;
  /// Whether an array that a fusion reads may have other elements, or none, at `place`.
  bool isOverwritten(mlir::Value input, mlir::Operation *place) const;

  mlir::Block &block;
  bool isLoop;
  Planner &planner;
  mutable llvm::DenseMap<mlir::Operation *, std::optional<Plan>> plans;
  /// `isOverwritten` of arrays that fusions of the block have read, which all live on.
  mutable llvm::DenseMap<mlir::Value, bool> overwritten;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_FUSION_FUSIONPAIRS_H
