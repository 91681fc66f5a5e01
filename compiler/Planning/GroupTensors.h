// Which tensors the operations of a kernel read, hand on and keep.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_GROUPTENSORS_H
#define SYSTOLE_COMPILER_PLANNING_GROUPTENSORS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace systole {

/// The operands of a kernel: the tensors that it reads into VMEM and those that it hands on, and
/// those that it reads elsewhere, as windows in HBM or indices in SMEM.
struct GroupOperands {
  explicit GroupOperands(llvm::ArrayRef<mlir::Operation *> ops);

  /// How many arrays a kernel of the operations reads and writes in HBM.
  int64_t count() const { return inputs.size() + outputs.size() + elsewhere.size(); }

  llvm::SmallSetVector<mlir::Value, 16> inputs, outputs, elsewhere;
};

/// All tensors of a kernel.
struct GroupTensors : GroupOperands {
  explicit GroupTensors(llvm::ArrayRef<mlir::Operation *> ops);

  /// Those for which it has buffers beside its operands.
  llvm::SmallSetVector<mlir::Value, 16> inner;
  /// Operations on windows.
  llvm::SmallVector<mlir::Operation *> windowed;

  /// Whether each element follows from reduced lanes alone, and is broadcast along them: its buffer
  /// has it in all lanes of a row (compiler/Tiling/ReplicateRows.cpp).
  bool isReplicated(mlir::Value value) const { return replicated.contains(value); }

private:
  /// Whether the results of an operation are replicated, if those of its operands are known.
  bool replicates(mlir::Operation *op) const;

  llvm::SmallDenseSet<mlir::Value, 4> replicated;
};

/// Whether the elements of a result of an expression should be in a buffer although each reader
/// could compute them: those that a broadcast repeats, or several stages read, are computed once.
/// `leaves`: the kernel writes them to HBM.
bool wantsBuffer(mlir::OpResult result, llvm::function_ref<bool(mlir::Operation *)> isInside,
                 bool leaves);

/// Whether `op` is a slice in rows of whole lanes that one concatenation alone reads: that moves
/// them to their place at once.
bool isMovedByReader(mlir::Operation *op);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_GROUPTENSORS_H
