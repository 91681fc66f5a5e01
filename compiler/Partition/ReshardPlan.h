// The sequence of collectives that brings a tensor from one sharding to another.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_RESHARDPLAN_H
#define SYSTOLE_COMPILER_PARTITION_RESHARDPLAN_H

#include "compiler/Partition/Mesh.h"

namespace systole::partition {

struct ReshardStep {
  enum class Kind {
    AllReduce,     ///< sums terms over `axes`
    ReduceScatter, ///< sums terms over `axes`, and divides dimension `to` along them
    Slice,         ///< divides dimension `to` along `axes`; nothing moves
    AllToAll,      ///< divides dimension `to` along `axes`, and no longer dimension `from`
    Permute,       ///< each part goes to another core
    AllGather,     ///< no longer divides dimension `from` along `axes`
    Embed, ///< parts along `axes` become terms, zeros but at the place of the part; nothing moves
    Mask,  ///< zeros but on the first core along `axes`: the terms of a sum
  };
  Kind kind;
  size_t from = 0, to = 0;
  llvm::SmallVector<AxisPart> axes; ///< minor axes of the dimension, the major one first
  Sharding after;

  /// Whether it is a collective.
  bool moves() const { return kind != Kind::Slice && kind != Kind::Embed && kind != Kind::Mask; }
};

/// Steps from `from` to `to`, shardings of one mesh and rank. Greedy: parts become smaller before
/// they move, an axis moves from one dimension to another by an exchange of parts, axes change
/// places by a permutation, and only those are gathered that `to` does not have or that are in the
/// way of others. A dimension is divided by no axis that it does not have in `from` or in `to`, and
/// by axes of `from` that `to` does not have only as long as none is added: evenly, if both are.
llvm::SmallVector<ReshardStep> planReshard(const Sharding &from, const Sharding &to);

/// The bytes of a core's part of a tensor of type `whole`, with padding.
int64_t partBytes(mlir::RankedTensorType whole, const Sharding &sharding);

/// The traffic of the plan between two shardings of a tensor.
struct ReshardTraffic {
  int64_t bytes = 0; ///< that a core sends, by the best algorithm for each step
  int64_t collectives = 0;
};
ReshardTraffic reshardTraffic(mlir::RankedTensorType whole, const Sharding &from,
                              const Sharding &to);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_RESHARDPLAN_H
