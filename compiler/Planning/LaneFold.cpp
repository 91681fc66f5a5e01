// Chooses which elements of a window lie side by side along the lanes, by cycles of the matrix
// unit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/LaneFold.h"

#include "compiler/Planning/Blocking.h"
#include "compiler/Tensor/Convolutions.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

using Window = stablehlo::ConvolutionOp::Window;

/// The elements of the window of `op` along each dimension. A filter's gradient has them as its
/// result, and the window's place is the positions'.
static SmallVector<LaneFold::Dim, 3> tapsOf(stablehlo::ConvolutionOp op, bool isFilter) {
  SmallVector<LaneFold::Dim, 3> dims;
  for (auto [window, place] :
       llvm::zip_equal(op.getWindow(), op.getDimensionNumbers().getOutputSpatialDimensions()))
    if (isFilter)
      dims.push_back({op.getType().getDimSize(place), window.stride, window.rhsDilation});
    else
      dims.push_back({window.size, window.rhsDilation, window.stride});
  return dims;
}

/// Cycles of 128 positions, of which a product takes `product`.
static double cyclesOf(const LaneFold &fold, int64_t product) {
  // There are two arrays.
  constexpr double arrays = 2;
  double products = double(product) * double(fold.blocks() + (fold.rest() > 0)), moved = 0;
  for (size_t d = 0; d < fold.dims.size(); ++d) {
    if (d < fold.outer)
      products *= double(fold.dims[d].taps);
    else if (fold.folding(d) > 1) {
      const int64_t whole = kLanes * fold.folding(d) * fold.dims[d].stride / fold.step(d);
      double rows = double(whole);
      for (size_t before = 0; before < d; ++before)
        rows *= double(fold.dims[before].stride);
      moved += rows;
    }
  }
  return products / arrays + moved / kMovedRowsPerCycle;
}

LaneFold laneFoldOf(stablehlo::ConvolutionOp op) {
  // An array latches weights in that time.
  // Bytes of the sums of a weight gradient beside it.
  constexpr int64_t largestResult = 3 << 20;
  SmallVector<Window> windows = op.getWindow();
  ConvolutionForm form = *formOf(op);
  bool isFilter = form == ConvolutionForm::Filter;
  if ((form != ConvolutionForm::Positions && !isFilter) || windows.empty() ||
      op.getFeatureGroupCount() != 1)
    return {};
  if (llvm::any_of(windows, [](const Window &dim) { return dim.lhsDilation != 1; }))
    return {};
  if (isFilter &&
      (op.getType().getElementTypeBitWidth() < 32 || paddedBytes(op.getType()) > largestResult))
    return {};

  LaneFold fold{tapsOf(op, isFilter), windows.size() - 1, 1}, best;
  int64_t product =
      isFilter ? std::max(kLatchCycles, op.getRhs().getType().getShape().back()) : kLanes;
  double least = cyclesOf(fold, product);
  int64_t room = kLanes / op.getLhs().getType().getShape().back();
  for (size_t d = windows.size(); d-- > 0 && room > 1;) {
    int64_t taps = fold.dims[d].taps;
    fold.outer = d;
    for (fold.folded = std::min(taps, room); fold.folded > 0; --fold.folded) {
      int64_t blocks = fold.blocks() + (fold.rest() > 0), all = taps * fold.inner();
      // Sums of folded elements are moved as well, and a filter's chunks become smaller.
      bool isUseful = blocks < all && (!isFilter || 2 * blocks <= all);
      if (double cycles = cyclesOf(fold, product); isUseful && cycles < least) {
        least = cycles;
        best = fold;
      }
    }
    if (taps > room)
      break;
    room /= taps;
  }
  return best;
}

SmallVector<FoldLevel, 3> foldLevels(const LaneFold &fold, ArrayRef<int64_t> image,
                                     ArrayRef<int64_t> positions) {
  SmallVector<FoldLevel, 3> levels;
  SmallVector<int64_t> shape(image);
  for (size_t d = fold.dims.size(); d-- > fold.outer;) {
    int64_t elements = fold.elements(d, positions[d]);
    if (fold.folding(d) == 1 && elements == shape[d + 1])
      continue;
    shape[d + 1] = elements;
    shape.back() *= fold.folding(d);
    levels.push_back({d, shape});
  }
  return levels;
}

SmallVector<int64_t> foldedSums(const LaneFold &fold, ArrayRef<int64_t> sums, int64_t blocks,
                                int64_t taps) {
  SmallVector<int64_t> shape(sums);
  for (size_t d = fold.outer; d < fold.dims.size(); ++d)
    shape[d] = 1;
  shape[fold.outer] = blocks;
  shape.back() *= taps * fold.inner();
  return shape;
}

SmallVector<FoldLevel, 3> unfoldLevels(const LaneFold &fold, ArrayRef<int64_t> sums) {
  SmallVector<FoldLevel, 3> levels;
  SmallVector<int64_t> shape = foldedSums(fold, sums, fold.dims[fold.outer].taps, 1);
  levels.push_back({fold.outer, shape});
  for (size_t d = fold.outer + 1; d < fold.dims.size(); ++d) {
    if (fold.dims[d].taps == 1)
      continue;
    shape[d] = fold.dims[d].taps;
    shape.back() /= fold.dims[d].taps;
    levels.push_back({d, shape});
  }
  return levels;
}

} // namespace systole
