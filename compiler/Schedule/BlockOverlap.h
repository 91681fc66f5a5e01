// Overlaps the end of each pipelined loop with what follows, up to the start of the next one.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_BLOCKOVERLAP_H
#define SYSTOLE_COMPILER_SCHEDULE_BLOCKOVERLAP_H

#include "compiler/Schedule/Dependence.h"
#include "compiler/Schedule/IterationAccess.h"

namespace systole::machine {

/// Bundles of a node with all that it holds.
int64_t countBundles(const Function &f, const std::vector<NodeId> &nodes);

/// Merges neighbouring blocks of a scheduled function where that saves cycles, and rotates loops
/// whose last block overlaps with the first one of the next iteration. `pipelined` are the
/// instructions of pipelined loops. Describes the accesses of instructions that it copies in
/// `accesses`, those of `context`.
void overlapBlocks(Function &f, const DependenceContext &context, DependenceBuilder &builder,
                   IterationAccess &iterations, std::vector<MemoryAccess> &accesses,
                   llvm::DenseSet<InstId> pipelined);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_BLOCKOVERLAP_H
