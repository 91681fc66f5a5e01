// Arrays that VMEM keeps for all kernels of a loop.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_KERNEL_KEEP_H
#define SYSTOLE_DIALECTS_KERNEL_KEEP_H

#include "dialects/Kernel/Kernel.h"

namespace systole::kernel {

/// Whether what `keep` keeps is made in each trip of the loop that it is for, and not loaded.
bool isMadeInLoop(KeepOp keep);

/// Whether `keep` keeps a part of an array, which trips load while other kernels run.
bool isLoadedAhead(KeepOp keep);

/// Whether that is from the place of `keep` on, since kernels stand between it and its readers.
/// Else the trip before loads it behind the last reader of its own part.
bool isLoadedInTrip(KeepOp keep);

/// The operations of the block of `keep` that are, or have, its first and its last reader.
std::pair<mlir::Operation *, mlir::Operation *> readersOf(KeepOp keep);

/// Because of which operation VMEM has `value`: its own, that of the value which a loop starts with
/// and in whose place `value` is, or that of its reader; null if it is in HBM.
KeepOp keepOf(mlir::Value value);

/// Whether blocks of shape `block` lie one after the other in a tensor that VMEM has in one block.
bool isRunOfRows(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> block);

} // namespace systole::kernel

#endif // SYSTOLE_DIALECTS_KERNEL_KEEP_H
