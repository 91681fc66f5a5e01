// What a convolution keeps in VMEM beside its blocks, and how positions become depth.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_CONVOLUTIONPLAN_H
#define SYSTOLE_COMPILER_TILING_CONVOLUTIONPLAN_H

#include "compiler/Tiling/Blocking.h"
#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// The shape of what the windows of one step see of the image, padding included.
llvm::SmallVector<int64_t> windowedShape(stablehlo::ConvolutionOp op, const Blocking &blocking);

/// Whether that is more than a part of the image's block.
bool isPadded(stablehlo::ConvolutionOp op, const Blocking &blocking);

/// How many elements of the window, neighbours along its last dimension, have their features side
/// by side along the lanes, so that they are the depth of one product; 1 if that gains nothing. It
/// depends on shapes alone, and so do the bits of a sum.
int64_t foldedTaps(stablehlo::ConvolutionOp op);
/// Positions along the last spatial dimension at which they stand so.
int64_t foldedPositions(stablehlo::ConvolutionOp op, const Blocking &blocking);

/// Positions of a gradient (of the batch and of the spatial dimensions) in boxes whose
/// elements are the depth of one product: `run` indices of each dimension, all but one or
/// two of which are 1.
struct FilterPart {
  struct Dim {
    int64_t start = 0, blocks = 1, run = 1;
  };
  llvm::SmallVector<Dim, 4> dims;
  int64_t inner = 0, outer = -1; ///< the dimensions with runs; -1 for none

  int64_t boxes() const;
  /// Elements of a box; runs of the inner dimension start at multiples of eight.
  int64_t depth() const;
  int64_t pitch() const { return (dims[inner].run + 7) / 8 * 8; }
  bool hasGaps() const { return outer >= 0 && pitch() != dims[inner].run; }
};
/// Boxes that cover `shape`, in as few products as runs of two dimensions allow.
llvm::SmallVector<FilterPart, 2> filterParts(llvm::ArrayRef<int64_t> shape);

/// Bytes of VMEM that `op` takes beside its operands' and results' blocks.
int64_t scratchBytes(stablehlo::ConvolutionOp op, const Blocking &blocking);

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_CONVOLUTIONPLAN_H
