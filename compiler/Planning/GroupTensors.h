// Which tensors the operations of a kernel read, hand on and keep.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_GROUPTENSORS_H
#define SYSTOLE_COMPILER_PLANNING_GROUPTENSORS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace systole {

/// The tensors of a kernel: those it reads into VMEM, those it hands on, and those for which it has
/// other buffers; those that it reads elsewhere, as windows in HBM or indices in SMEM.
struct GroupTensors {
  explicit GroupTensors(llvm::ArrayRef<mlir::Operation *> ops);

  llvm::SmallSetVector<mlir::Value, 16> inputs, outputs, inner, elsewhere;
  /// Operations on windows.
  llvm::SmallVector<mlir::Operation *> windowed;
};

/// The operations of a kernel, and which of their results others read.
class GroupMembers {
public:
  explicit GroupMembers(llvm::ArrayRef<mlir::Operation *> ops);

  bool contains(mlir::Operation *op) const { return inside.contains(op); }
  /// Whether the kernel hands `value` on. Outside of fusions each reader of a constant, or of
  /// anything else that can be made again, will have its own copy, so that the one of this kernel
  /// stays in it.
  bool leaves(mlir::Value value) const;

private:
  llvm::SmallPtrSet<mlir::Operation *, 32> inside;
  llvm::SmallPtrSet<mlir::Operation *, 16> copied; ///< what members read and can be made again
};

/// Whether the elements of `op`, an expression, should be in a buffer although each reader could
/// compute them: those that a broadcast repeats, or several stages read, are computed once.
/// `leaves`: the kernel writes them to HBM.
bool wantsBuffer(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> isInside,
                 bool leaves);

/// Whether `op` is a slice in rows of whole lanes that one concatenation alone reads: that moves
/// them to their place at once.
bool isMovedByReader(mlir::Operation *op);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_GROUPTENSORS_H
