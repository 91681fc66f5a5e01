// Arrays that VMEM keeps for several kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_KERNEL_RESIDENT_H
#define SYSTOLE_DIALECTS_KERNEL_RESIDENT_H

#include "dialects/Kernel/Kernel.h"

namespace systole::kernel {

/// The operations of the block of `resident` that are, or have, its first and its last reader.
std::pair<mlir::Operation *, mlir::Operation *> readersOf(ResidentOp resident);

/// From the start of one operation of a block to the end of another one.
struct Lifetime {
  mlir::Operation *first, *last;
};
/// Whether there is a time at which both are.
bool overlap(Lifetime a, Lifetime b);
/// While which operations VMEM has what `resident` keeps.
Lifetime lifetimeOf(ResidentOp resident);

/// The arrays that VMEM keeps for `loop`, in program order.
llvm::SmallVector<ResidentOp> residentFor(mlir::Operation *loop);

/// The fusion directly before `fusion`, with no kernel and no control flow between them, which can
/// load blocks for it; null if there is none.
FusionOp loaderOf(FusionOp fusion);

/// Whether the buffer of `value` is a part of a larger array, which begins at a row that is known
/// when the program runs.
bool isPlacedInPart(mlir::Value value);

/// Rows of VMEM, from its end, within which arrays are while the kernel of `fusion` runs.
int64_t residentRowsAt(FusionOp fusion);

/// Checks that arrays in `root` which VMEM keeps at one time have places of their own, which the
/// kernels that run meanwhile leave alone.
mlir::LogicalResult verifyResident(mlir::Operation *root);

/// Because of which operation VMEM has `value`: its own, that of the value which a loop starts with
/// and in whose place `value` is, or that of its reader; null if it is in HBM.
ResidentOp residentOf(mlir::Value value);

/// Whether blocks of shape `block` lie one after the other in a tensor that VMEM has in one block.
bool isRunOfRows(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> block);

/// Whether a tensor is so many parts of equally many rows of its first dimension, each of which is
/// whole rows of 512 bytes.
bool isDivisible(mlir::RankedTensorType type, int64_t pieces);

} // namespace systole::kernel

#endif // SYSTOLE_DIALECTS_KERNEL_RESIDENT_H
