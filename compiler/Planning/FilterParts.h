// How the positions of a filter's gradient become the depth of products.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_FILTERPARTS_H
#define SYSTOLE_COMPILER_PLANNING_FILTERPARTS_H

#include "dialects/StableHLO/StableHLO.h"

#include <optional>

namespace systole {

/// Positions of a gradient (of the batch and of the spatial dimensions) in boxes whose
/// elements are the depth of one product: `run` indices of each dimension.
struct FilterPart {
  struct Dim {
    int64_t start = 0, blocks = 1, run = 1;
    bool isSpread = false; ///< elements of a run are `blocks` apart, so boxes are neighbours

    int64_t boxStep() const { return isSpread ? 1 : run; }
    int64_t runStep() const { return isSpread ? blocks : 1; }
  };
  llvm::SmallVector<Dim, 4> dims;
  /// The dimensions in the order in which their runs are the depth, the fastest last; runs of that
  /// one start at multiples of eight.
  llvm::SmallVector<int64_t, 4> order;
  /// A spatial dimension whose taps share the weights that they have in common: the image's
  /// elements that several boxes meet, each with another tap. Its runs are spread.
  std::optional<int64_t> shared;

  int64_t boxes() const;
  const Dim &inner() const { return dims[order.back()]; }
  int64_t pitch() const { return (inner().run + 7) / 8 * 8; }
  /// Runs of the fastest dimension, and elements of a box with what is between them.
  int64_t runs() const;
  int64_t depth() const { return (runs() - 1) * pitch() + inner().run; }
  bool hasGaps() const { return runs() > 1 && pitch() != inner().run; }
};
/// Boxes that cover the positions `shape` of a step of `op`, for the fewest cycles. It depends on
/// shapes alone, and so does the order of a sum.
llvm::SmallVector<FilterPart, 2> filterParts(stablehlo::ConvolutionOp op,
                                             llvm::ArrayRef<int64_t> shape);

/// Cycles of the products of a step that sums the positions `shape`, and of what prepares them.
double filterCycles(stablehlo::ConvolutionOp op, llvm::ArrayRef<int64_t> shape);

/// Taps of one dimension that meet the same elements of the image: element `image` + i * dilation
/// of the image meets box `box` + i - t * `apart` with tap `tap` + t * `tapStep`, for i of `count`
/// and t of `taps`.
struct SharedTaps {
  int64_t image = 0, count = 1;
  int64_t box = 0, apart = 1;
  int64_t tap = 0, tapStep = 1, taps = 1;
  bool begins = true; ///< the sums of its taps, to which others add
};
/// All pairs of `taps` and `boxes`, each once; none if no set has all of the taps that share
/// elements. `window` has the taps as positions, as a filter's
/// gradient has it.
llvm::SmallVector<SharedTaps> sharedTaps(const stablehlo::ConvolutionOp::Window &window,
                                         int64_t taps, int64_t boxes);
/// Those of the part's shared dimension; one set that says nothing without one.
llvm::SmallVector<SharedTaps> sharedTaps(stablehlo::ConvolutionOp op, const FilterPart &part);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_FILTERPARTS_H
