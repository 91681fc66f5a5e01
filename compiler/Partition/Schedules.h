// The steps by which blocks pass between cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_SCHEDULES_H
#define SYSTOLE_COMPILER_PARTITION_SCHEDULES_H

#include "dialects/Kernel/Kernel.h"

namespace systole::partition {

/// Groups of cores, each in the order of its ranks.
using Groups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// One block of each core of a group becomes one for each rank, on all of them: each core sends its
/// block to every other one. `cores` is the number of the program's; those in no group do nothing.
mlir::ArrayAttr gatherSteps(mlir::MLIRContext *context, const Groups &groups, int64_t cores);

/// The same of blocks of `pieces` pieces, each numbered behind its block's: pairs of ranks whose
/// numbers differ in one bit exchange all that they have, one bit after the other. `orders` are
/// orders of the bits; piece p takes that of number p modulo their number, and those that take one
/// order follow each other from phase to phase, so that pieces with different orders, and in
/// different phases, are on different links at the same time. The number of ranks is a power of
/// two.
mlir::ArrayAttr doublingSteps(mlir::MLIRContext *context, const Groups &groups, int64_t cores,
                              int64_t pieces, llvm::ArrayRef<llvm::SmallVector<unsigned>> orders);

/// The same, where each order has a part of the array of its own: pieces of order k are one behind
/// the other in part k of each core's block, and of the result, where blocks follow each other by
/// virtualRank().
mlir::ArrayAttr doublingStepsByPart(mlir::MLIRContext *context, const Groups &groups, int64_t cores,
                                    int64_t piecesOfOrder,
                                    llvm::ArrayRef<llvm::SmallVector<unsigned>> orders);

/// A rank whose bits are in the order in which a sum is halved, the first one major: the reverse of
/// an order for `doublingSteps`.
int64_t virtualRank(int64_t rank, llvm::ArrayRef<unsigned> order);

/// Half of each part of the array goes to the rank that differs in one bit, which keeps the half of
/// its own bit. `bits` has the bit of each part; a part is two blocks of the source, and one of the
/// result.
mlir::ArrayAttr halvingSteps(mlir::MLIRContext *context, const Groups &groups, int64_t cores,
                             llvm::ArrayRef<unsigned> bits);

/// Block j of rank i becomes block i of rank j.
mlir::ArrayAttr transposeSteps(mlir::MLIRContext *context, const Groups &groups, int64_t cores);

/// The block of the first rank becomes that of all ranks.
mlir::ArrayAttr broadcastSteps(mlir::MLIRContext *context, const Groups &groups, int64_t cores);

/// Blocks go from sources to targets.
mlir::ArrayAttr permutationSteps(mlir::MLIRContext *context,
                                 llvm::ArrayRef<std::pair<int64_t, int64_t>> pairs, int64_t cores);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_SCHEDULES_H
