// Merges two scheduled blocks of which one follows the other, such that they overlap.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_BLOCKMERGER_H
#define SYSTOLE_COMPILER_SCHEDULE_BLOCKMERGER_H

#include "compiler/Schedule/Dependence.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace systole::machine {

/// Two scheduled blocks; control goes from `first` to `second` only. The accesses of both are
/// described in terms of one iteration of all loops around them.
struct MergeRequest {
  const Node &first, &second;
  /// The kernel of a pipelined loop that `first` drains, or null. What it has started may still be
  /// under way.
  const Node *drained = nullptr;
  /// `second` fills the pipeline of the loop behind it, which relies on the cycles of some of its
  /// instructions: counted from the end, those in `fixed` issue no later than they do.
  bool fillsPipeline = false;
  const llvm::DenseSet<InstId> &fixed;
  /// Otherwise, how long before the end of `first` its results are of use.
  int32_t lookahead = 0;
};

/// The block that does the work of both in fewer cycles, or nullopt if there is none. Instructions
/// of `first` keep their cycles.
std::optional<Node> mergeBlocks(const DependenceContext &context, DependenceBuilder &builder,
                                const MergeRequest &request);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_BLOCKMERGER_H
