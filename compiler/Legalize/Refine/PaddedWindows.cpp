// Convolutions with windows whose sizes depend on data.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Refine/PaddedForms.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

namespace {

int64_t dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

/// Makes dimensions of the window one element wide: what its taps read, and the filter's elements
/// there, become features. Those of taps that the window does not have are zero on both sides.
class Taps {
public:
  Taps(PaddedForm &f, ConvolutionOp op, Padded lhs, Padded rhs)
      : f(f), op(op), numbers(op.getDimensionNumbers()), windows(op.getWindow()),
        lhs(std::move(lhs)), rhs(std::move(rhs)) {}

  /// Features become elements, of which those that are padding are zero.
  void fixFeatures() {
    Arrays arrays = {lhs, rhs};
    const Place places[] = {{0, inputFeature()}, {1, kernelFeature()}};
    f.t.align(arrays, places);
    for (auto [array, place] : llvm::zip_equal(arrays, places)) {
      array = f.t.masked(array, {place.dim});
      array.sizes[place.dim] = nullptr;
    }
    lhs = arrays[0];
    rhs = arrays[1];
  }

  /// Spatial dimension number `i`.
  void unroll(unsigned i) {
    Window &window = windows[i];
    const int64_t from = numbers.getInputSpatialDimensions()[i],
                  tap = numbers.getKernelSpatialDimensions()[i];
    const int64_t taps = rhs.shape()[tap];
    if (taps == 0) {
      rhs.sizes[tap] = nullptr;
      return;
    }
    if (window.reversed)
      rhs = reversed(f.t, rhs, {tap});
    Value tapCount = rhs.sizes[tap];
    const int64_t most = mostPositions(i, from);
    Value positions = f.t.within(positionsOn(window, from, tapCount), 0, most);
    lhs = f.t.masked(lhs, {from});
    gatherTaps(window, from, most, taps, tapCount);
    lhs.sizes[from] = positions;
    mergeTaps(tap);
    window = Window{.size = 1};
  }

  Form build();

private:
  int64_t inputFeature() const { return numbers.getInputFeatureDimension(); }
  int64_t kernelFeature() const { return numbers.getKernelInputFeatureDimension(); }

  /// The positions of the smallest window, as far as the result's type has room for them.
  int64_t mostPositions(unsigned i, int64_t from) {
    const Window &window = windows[i];
    const int64_t span = dilated(lhs.shape()[from], window.lhsDilation) + window.low + window.high;
    const int64_t most = std::max<int64_t>(span, 0) / window.stride + 1;
    return std::min(most, f.extent(numbers.getOutputSpatialDimensions()[i]).value_or(most));
  }

  Value dilatedSize(Value size, int64_t dilation) {
    return dilation == 1 ? size
                         : f.t.atLeast(f.t.plus(f.t.times(f.t.plus(size, -1), dilation), 1), 0);
  }

  /// None on no elements, even of a window of none.
  Value positionsOn(const Window &window, int64_t from, Value tapCount) {
    Value span = f.t.atLeast(
        f.t.plus(dilatedSize(f.t.length(lhs, from), window.lhsDilation), window.low + window.high),
        0);
    Value room = f.t.apply<SubtractOp>(span, dilatedSize(tapCount, window.rhsDilation));
    Value count = f.t.dividedBy(f.t.atLeast(f.t.plus(room, 1), 0), window.stride);
    return f.t.apply<MinOp>(count, f.t.times(span, 2));
  }

  /// Features are those of each group for the first tap, then for the next one.
  void gatherTaps(const Window &window, int64_t from, int64_t positions, int64_t taps,
                  Value tapCount) {
    const int64_t rank = lhs.rank(), extent = std::max<int64_t>(positions - 1, 0) * window.stride +
                                              dilated(taps, window.rhsDilation);
    SmallVector<int64_t> low(rank), high(rank), interior(rank);
    low[from] = window.low;
    high[from] = extent - window.low - dilated(lhs.shape()[from], window.lhsDilation);
    interior[from] = window.lhsDilation - 1;
    Value padded = f.t.pad(lhs.value, f.t.zero(lhs.element()), low, high, interior);
    const auto groups = int64_t(op.getFeatureGroupCount());
    SmallVector<int64_t> shape(shapeOf(padded));
    const int64_t features = shape[inputFeature()] / groups;
    shape[inputFeature()] = features;
    shape.insert(shape.begin() + inputFeature(), groups);
    padded = f.t.reshape(padded, shape);
    SmallVector<Value> parts;
    for (int64_t tap = 0; tap < taps; ++tap)
      parts.push_back(f.t.slice(padded, from + (from > inputFeature()), tap * window.rhsDilation,
                                positions, window.stride));
    const int64_t tapDim = inputFeature() + 1;
    Padded stacked(f.t.stack(parts, tapDim));
    stacked.sizes[tapDim] = tapCount;
    shape.assign(lhs.shape().begin(), lhs.shape().end());
    shape[from] = positions;
    shape[inputFeature()] = groups * taps * features;
    lhs.value = f.t.reshape(f.t.masked(stacked, {tapDim}).value, shape);
  }

  /// The same of the filter.
  void mergeTaps(int64_t tap) {
    rhs = f.t.masked(rhs, {tap});
    SmallVector<int64_t> order, shape(rhs.shape());
    for (int64_t dim = 0; dim < rhs.rank(); ++dim) {
      if (dim == kernelFeature())
        order.push_back(tap);
      if (dim != tap)
        order.push_back(dim);
    }
    shape[kernelFeature()] *= shape[tap];
    shape[tap] = 1;
    rhs.value = f.t.reshape(f.t.transpose(rhs.value, order), shape);
    rhs.sizes[tap] = nullptr;
  }

  PaddedForm &f;
  ConvolutionOp op;
  ConvDimensionNumbersAttr numbers;
  SmallVector<Window> windows;
  Padded lhs, rhs;
};

Form Taps::build() {
  OpBuilder &b = f.t.b;
  SmallVector<int64_t> strides, lhsDilation, rhsDilation, padding;
  SmallVector<bool> reversal;
  for (const Window &window : windows) {
    strides.push_back(window.stride);
    lhsDilation.push_back(window.lhsDilation);
    rhsDilation.push_back(window.rhsDilation);
    reversal.push_back(window.reversed);
    padding.append({window.low, window.high});
  }
  auto pads = RankedTensorType::get({int64_t(windows.size()), 2}, b.getI64Type());
  auto made = ConvolutionOp::create(
      b, f.t.loc, op.getType(), lhs.value, rhs.value, b.getDenseI64ArrayAttr(strides),
      DenseIntElementsAttr::get(pads, padding), b.getDenseI64ArrayAttr(lhsDilation),
      b.getDenseI64ArrayAttr(rhsDilation), b.getDenseBoolArrayAttr(reversal), numbers,
      op.getFeatureGroupCountAttr(), op.getBatchGroupCountAttr(), op.getPrecisionConfigAttr());
  PaddedForm inner(made, f.evaluator, f.arrays, f.visit);
  Form form = convolution(inner, made, lhs, rhs);
  made.erase();
  return form;
}

} // namespace

Form unrolledWindows(PaddedForm &f, ConvolutionOp op, const Padded &lhs, const Padded &rhs) {
  Taps taps(f, op, lhs, rhs);
  if (op.getFeatureGroupCount() == 1 && op.getBatchGroupCount() == 1)
    taps.fixFeatures();
  for (auto [i, dim] : llvm::enumerate(op.getDimensionNumbers().getKernelSpatialDimensions()))
    if (rhs.sizes[dim])
      taps.unroll(unsigned(i));
  return taps.build();
}

} // namespace systole::refine
