// Which integer scalars the sequencer computes and carries itself.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_SEQUENCERSCALARS_H
#define SYSTOLE_COMPILER_PLANNING_SEQUENCERSCALARS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace systole {

/// A rank-0 tensor of integers.
bool isIntegerScalar(mlir::Value value);

/// Decides for every rank-0 integer of a function whether the sequencer holds it in a
/// scalar register or it is an array in HBM.
///
/// The sequencer computes an operation if it has all operands itself: constants, its own
/// scalars, and what a loop carries as such. Where operands are in memory it reads
/// them if control flow or a position needs the result, or if they come from outside
/// the loop that the operation is in; otherwise the operation joins a kernel. Operations that must
/// share one are either all the sequencer's, or only those that control flow or a position needs. A
/// value that a loop carries or a branch chooses is the sequencer's if all it can become is.
class SequencerScalars {
public:
  enum class Operations {
    chosen, ///< decide which ones the sequencer computes
    given,  ///< those outside of fusions
  };
  SequencerScalars(mlir::Region &function, Operations operations);

  /// Whether the sequencer computes `op`.
  bool computes(mlir::Operation *op) const { return ops.contains(op); }
  /// Whether the sequencer holds `value`: constants included.
  bool holds(mlir::Value value) const;

private:
  /// Result `number` of a loop or branch, with what becomes of it inside.
  using Slot = std::pair<mlir::Operation *, unsigned>;

  void collect(mlir::Region &region, Operations operations);
  void findDemand();
  std::optional<Slot> slotOf(mlir::Value value) const;
  /// The values that `slot` can become, the initial one of a loop excluded.
  llvm::SmallVector<mlir::Value> sourcesOf(Slot slot) const;
  bool canCompute(mlir::Operation *op) const;
  /// Gives up operations of many parts, such as sums of f64, if the program has too many parts.
  void leaveLongUnits();
  /// Gives up what nothing demands among operations that share a kernel, if the sequencer does not
  /// compute all of these; whether it did.
  bool leaveUnits();

  llvm::SetVector<mlir::Operation *> ops;
  /// Operations that share a kernel with others.
  llvm::SmallVector<mlir::Operation *> parts;
  llvm::SetVector<Slot> slots;
  /// What conditions, choices and positions depend on.
  llvm::DenseSet<mlir::Value> demanded;
  llvm::SmallVector<mlir::Value> roots;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_SEQUENCERSCALARS_H
