// What a convolution keeps in VMEM beside its blocks, and how positions become depth.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/ConvolutionPlan.h"

#include "compiler/Graph/Convolutions.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

static constexpr int64_t kLanes = 128;

SmallVector<int64_t> windowedShape(stablehlo::ConvolutionOp op, const Blocking &blocking) {
  SmallVector<int64_t> shape = blocking.blockShape(op.getLhs());
  SmallVector<int64_t> result = blocking.blockShape(op.getResult());
  ArrayRef<int64_t> places = op.getDimensionNumbers().getOutputSpatialDimensions();
  // Of a filter's gradient a block may be cut along its positions, which are the window.
  SmallVector<int64_t> kernel = blocking.blockShape(op.getRhs());
  ArrayRef<int64_t> taps = op.getDimensionNumbers().getKernelSpatialDimensions();
  for (auto [number, window] : llvm::enumerate(op.getWindow()))
    shape[number + 1] = (result[places[number]] - 1) * window.stride +
                        (kernel[taps[number]] - 1) * window.rhsDilation + 1;
  return shape;
}

bool isPadded(stablehlo::ConvolutionOp op, const Blocking &blocking) {
  if (blocking.hasOffset(op, 0))
    return true;
  SmallVector<int64_t> seen = windowedShape(op, blocking);
  SmallVector<int64_t> block = blocking.blockShape(op.getLhs());
  for (auto [number, window] : llvm::enumerate(op.getWindow()))
    if (window.low > 0 || seen[number + 1] > block[number + 1])
      return true;
  return false;
}

int64_t foldedTaps(stablehlo::ConvolutionOp op) {
  SmallVector<stablehlo::ConvolutionOp::Window> window = op.getWindow();
  if (formOf(op) != ConvolutionForm::Positions || window.empty() || op.getFeatureGroupCount() != 1)
    return 1;
  int64_t features = op.getLhs().getType().getShape().back();
  int64_t last = window.back().size, folded = std::min(last, kLanes / features);
  if (folded <= 1)
    return 1;
  // Cycles of eight positions: a product takes eight, on each of two arrays, and a row that is
  // moved along the lanes about two.
  int64_t rows = 1, moved = 2 * folded;
  for (const stablehlo::ConvolutionOp::Window &dim : ArrayRef(window).drop_back()) {
    rows *= dim.size;
    moved *= dim.stride;
  }
  if (last / folded > 1)
    moved *= window.back().stride;
  return 4 * rows * (last / folded + last % folded) + moved < 4 * rows * last ? folded : 1;
}

int64_t foldedPositions(stablehlo::ConvolutionOp op, const Blocking &blocking) {
  stablehlo::ConvolutionOp::Window window = op.getWindow().back();
  int64_t folded = foldedTaps(op), blocks = window.size / folded;
  int64_t positions = blocking.blockShape(op.getResult())[op.getType().getRank() - 2];
  // One block of the window stands where the positions are.
  return blocks == 1
             ? positions
             : (positions - 1) * window.stride + (blocks - 1) * folded * window.rhsDilation + 1;
}

int64_t FilterPart::boxes() const {
  int64_t count = 1;
  for (const Dim &dim : dims)
    count *= dim.blocks;
  return count;
}

int64_t FilterPart::depth() const {
  int64_t rows = outer < 0 ? 1 : dims[outer].run;
  return (rows - 1) * pitch() + dims[inner].run;
}

/// Runs of `run` elements of dimension `inner` from `start` on, `blocks` of them, and of
/// whichever other dimension makes most of a box.
static FilterPart partOf(ArrayRef<int64_t> shape, int64_t inner, FilterPart::Dim dim) {
  FilterPart part;
  part.inner = inner;
  for (int64_t size : shape)
    part.dims.push_back({0, size, 1});
  part.dims[inner] = dim;
  int64_t best = 1;
  for (int64_t d = shape.size() - 1; d >= 0; --d)
    for (int64_t run = kLanes / part.pitch(); d != inner && run > best; --run)
      if (shape[d] % run == 0) {
        best = run;
        part.outer = d;
      }
  if (part.outer >= 0)
    part.dims[part.outer] = {0, shape[part.outer] / best, best};
  return part;
}

SmallVector<FilterPart, 2> filterParts(ArrayRef<int64_t> shape) {
  SmallVector<FilterPart, 2> best;
  int64_t fewest = INT64_MAX;
  for (int64_t inner = shape.size() - 1; inner >= 0; --inner) {
    SmallVector<FilterPart, 2> parts;
    int64_t full = shape[inner] / kLanes, rest = shape[inner] % kLanes, products = 0;
    if (full)
      parts.push_back(partOf(shape, inner, {0, full, kLanes}));
    if (rest)
      parts.push_back(partOf(shape, inner, {full * kLanes, 1, rest}));
    for (const FilterPart &part : parts)
      products += part.boxes();
    if (products < fewest) {
      fewest = products;
      best = std::move(parts);
    }
  }
  return best;
}

/// The features of `shape` as groups of rows.
static SmallVector<int64_t> grouped(ArrayRef<int64_t> shape, int64_t groups) {
  SmallVector<int64_t> result(shape);
  result.back() /= groups;
  result.insert(result.end() - 1, groups);
  return result;
}

int64_t scratchBytes(stablehlo::ConvolutionOp op, const Blocking &blocking) {
  Type element = op.getLhs().getType().getElementType();
  Type sum = op.getType().getElementType();
  int64_t groups = op.getFeatureGroupCount(), total = 0;
  SmallVector<int64_t> seen = windowedShape(op, blocking);
  SmallVector<int64_t> result = blocking.blockShape(op.getResult());
  if (isPadded(op, blocking))
    total += blockBytes(seen, element);
  Type wide = IntegerType::get(op.getContext(), 32);
  if (sum.getIntOrFloatBitWidth() < 32)
    total += blockBytes(result, wide);
  SmallVector<int64_t> kernel = blocking.blockShape(op.getRhs());
  if (int64_t folded = foldedTaps(op); folded > 1) {
    seen.end()[-2] = foldedPositions(op, blocking);
    seen.back() *= folded;
    total += blockBytes(seen, element);
    if (isKernelTransposed(op))
      total += blockBytes(kernel, element);
  }
  if (formOf(op) == ConvolutionForm::Filter) {
    Type gradient = op.getRhs().getType().getElementType();
    for (const FilterPart &part : filterParts(ArrayRef<int64_t>(kernel).drop_back()))
      total += blockBytes({part.boxes(), part.depth(), kernel.back()}, gradient) +
               blockBytes({part.boxes(), kernel.back(), part.depth()}, gradient);
  } else if (groups > 1) {
    total += blockBytes(grouped(seen, groups), element) +
             blockBytes(grouped(kernel, groups), element) +
             blockBytes(grouped(result, groups), wide);
  }
  return total;
}

} // namespace systole
