// Elements of windows on few features side by side along the lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_LANEFOLD_H
#define SYSTOLE_COMPILER_PLANNING_LANEFOLD_H

#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// Elements of a window on few features that have their features side by side along the lanes, so
/// that one product does them: all elements along the dimensions behind `outer`, and of `outer` in
/// blocks of `folded`. It depends on shapes alone, and so do the bits of a sum.
struct LaneFold {
  /// Elements of a window that are `apart` in the image, whose positions are `stride` apart.
  struct Dim {
    int64_t taps = 1, apart = 1, stride = 1;
  };
  llvm::SmallVector<Dim, 3> dims; ///< the spatial ones; none if nothing is folded
  size_t outer = 0;
  int64_t folded = 1;

  bool isNeeded() const { return !dims.empty(); }
  bool isFolded(size_t dim) const { return isNeeded() && dim >= outer; }
  /// Whole blocks, and elements of `outer` that are left: the begin of another block, or one, which
  /// is read where it was before.
  int64_t blocks() const { return dims[outer].taps / folded; }
  int64_t rest() const { return dims[outer].taps % folded; }
  bool isOneBlock() const { return blocks() == 1 && rest() <= 1; }
  /// Elements of the window for each of `outer`.
  int64_t inner() const {
    int64_t count = 1;
    for (const Dim &dim : llvm::ArrayRef(dims).drop_front(outer + 1))
      count *= dim.taps;
    return count;
  }
  int64_t folding(size_t dim) const { return dim == outer ? folded : dims[dim].taps; }
  /// One block of the window stands where the positions are, several at all elements of the image.
  int64_t step(size_t dim) const { return dim == outer && !isOneBlock() ? 1 : dims[dim].stride; }
  /// Elements of the folded image along a dimension that is folded, for `count` positions.
  int64_t elements(size_t dim, int64_t count) const {
    if (dim != outer || isOneBlock())
      return count;
    int64_t last = (blocks() - (rest() <= 1)) * folded * dims[dim].apart;
    return (count - 1) * dims[dim].stride + last + 1;
  }
};
/// Nothing is folded if that gains nothing.
LaneFold laneFoldOf(stablehlo::ConvolutionOp op);

/// An array after elements of the window along spatial dimension `dim` move to the lanes, or from
/// there.
struct FoldLevel {
  size_t dim = 0;
  llvm::SmallVector<int64_t> shape;
};
/// How an image [n, spatial.., f] becomes the folded one for that many positions of each spatial
/// dimension, the last one first.
llvm::SmallVector<FoldLevel, 3> foldLevels(const LaneFold &fold, llvm::ArrayRef<int64_t> image,
                                           llvm::ArrayRef<int64_t> positions);
/// How sums of a filter's gradient [window.., o, i] become rows again, the outermost first.
llvm::SmallVector<FoldLevel, 3> unfoldLevels(const LaneFold &fold, llvm::ArrayRef<int64_t> sums);
/// The sums of `blocks` blocks, of `taps` elements of the window along `outer`.
llvm::SmallVector<int64_t> foldedSums(const LaneFold &fold, llvm::ArrayRef<int64_t> sums,
                                      int64_t blocks, int64_t taps);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_LANEFOLD_H
