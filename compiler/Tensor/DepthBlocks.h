// Convolutions on blocks of neighbouring positions: which weights are elements of the window.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_DEPTHBLOCKS_H
#define SYSTOLE_COMPILER_TENSOR_DEPTHBLOCKS_H

#include "dialects/StableHLO/StableHLO.h"

#include <optional>

namespace systole {

/// A window along the last spatial dimension whose positions are in blocks (space to depth): a
/// position has `block` neighbours as features, of which each has a window of `window` elements,
/// the first of them `low` positions before it. Other weights are 0.
struct DepthBlocks {
  int64_t block = 1, window = 1, low = 0;

  /// Blocks that the windows of a block see: as many before it, and in all.
  int64_t before() const;
  int64_t taps() const;
  /// Positions of an image's block, and those of the result that see just these.
  struct Weights {
    int64_t inFirst, inEnd, outFirst, outEnd;
    bool operator==(const Weights &other) const = default;
  };
  /// The weights for block number `tap` that a window sees.
  llvm::SmallVector<Weights, 2> weightsOf(int64_t tap) const;

  /// Neighbouring blocks that windows see with the same weights.
  struct Part {
    int64_t firstTap, taps;
    Weights weights;
  };
  /// All weights, the first part of which has some for all positions of the result's block: a
  /// product of it gives all results a summand. None if there is no such part.
  llvm::SmallVector<Part> parts() const;

  /// Those of a convolution in the form with positions; nothing if its positions are not in blocks.
  static std::optional<DepthBlocks> of(stablehlo::ConvolutionOp op);
  void mark(stablehlo::ConvolutionOp op) const;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_DEPTHBLOCKS_H
