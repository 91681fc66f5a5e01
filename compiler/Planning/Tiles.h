// Sizes of tiles along an axis.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_TILES_H
#define SYSTOLE_COMPILER_PLANNING_TILES_H

#include "compiler/Planning/Axes.h"

namespace systole {

/// Tiles of `cut`, smaller than its dimension and the largest first, each about half of the one
/// before it: all steps have nearly the same size, and tiles are whole vector registers where they
/// can be. Empty if no tile starts where DMA can.
llvm::SmallVector<int64_t> coarseTiles(const Cut &cut, const Axes &axes);

/// Tiles between half and twice the one that `cut` has, and different from it: those that divide
/// the dimension evenly, and those that make one step more or less.
llvm::SmallVector<int64_t> nearbyTiles(const Cut &cut, const Axes &axes);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_TILES_H
