// Where the cores of a program are in a slice.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_SLICEPLACE_H
#define SYSTOLE_COMPILER_PARTITION_SLICEPLACE_H

#include "compiler/Partition/Schedules.h"
#include "dialects/Machine/Target/Topology.h"

namespace systole::partition {

struct SlicePlace {
  Topology topology;
  /// By core of the program that of the slice; those without are where their number says.
  std::vector<int> places;

  int chipOf(int64_t core) const {
    return topology.chipOf(core < int64_t(places.size()) ? places[size_t(core)] : int(core));
  }
  /// The links between two cores.
  size_t hops(int64_t from, int64_t to) const {
    return topology.route(chipOf(from), chipOf(to)).size();
  }
};

/// For groups of 2^n cores orders of the bits of ranks for `doublingSteps`: bits whose partners are
/// on other chips come first, in as many orders as there are of them, each of which begins with
/// another one.
llvm::SmallVector<llvm::SmallVector<unsigned>> ordersOfBits(const SlicePlace &place,
                                                            const Groups &groups);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_SLICEPLACE_H
