// Operations that move the elements of padded arrays.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Refine/PaddedForms.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

static SmallVector<Number> knownNumbers(ArrayRef<int64_t> values) {
  return llvm::map_to_vector(values, [](int64_t value) { return Number{nullptr, value}; });
}

//===----------------------------------------------------------------------===//
// slice, real_dynamic_slice
//===----------------------------------------------------------------------===//

namespace {

/// Positions along one dimension.
struct Range {
  Number start, limit, stride;

  bool isKnown() const { return start.known && limit.known && stride.known; }
};

} // namespace

/// At positions that are known, of which some may be beyond the array's size.
static Padded sliceAtKnown(PaddedTensors &t, Padded array, int64_t dim, const Range &range) {
  int64_t start = *range.start.known, limit = *range.limit.known, stride = *range.stride.known;
  if (start == 0 && limit == array.shape()[dim] && stride == 1)
    return array;
  int64_t count = llvm::divideCeilSigned(limit - start, stride);
  array.value = t.slice(array.value, dim, start, count, stride);
  if (Value size = array.sizes[dim]) {
    Value last = t.apply<MinOp>(size, t.scalar(limit));
    array.sizes[dim] = t.dividedBy(t.atLeast(t.plus(last, -start), 0), stride);
  }
  return array;
}

/// At most `extent` elements at positions that depend on data.
static Padded sliceAtUnknown(PaddedTensors &t, Padded array, int64_t dim, const Range &range,
                             std::optional<int64_t> extent) {
  int64_t all = array.shape()[dim];
  Value start = t.within(t.scalar(range.start), 0, all), stride = t.scalar(range.stride);
  Value span = t.atLeast(t.apply<SubtractOp>(t.scalar(range.limit), start), 0);
  Value size;
  if (range.stride.known) {
    if (!range.start.is(0))
      array.value = t.shifted(array.value, dim, start, all, t.zero(array.element()));
    int64_t count = llvm::divideCeilSigned(all, *range.stride.known);
    array.value = t.slice(array.value, dim, 0, count, *range.stride.known);
    size = t.dividedBy(span, *range.stride.known);
  } else {
    int64_t most = extent.value_or(all);
    Value steps = t.apply<MulOp>(t.iota(t.b.getI32Type(), {most}, 0), t.fill(stride, {most}));
    array.value = t.take(array.value, dim, t.apply<AddOp>(t.fill(start, {most}), steps));
    Value one = t.atLeast(stride, 1);
    size = t.apply<DivOp>(t.plus(t.apply<AddOp>(span, one), -1), one);
  }
  array.sizes[dim] = t.within(size, 0, array.shape()[dim]);
  return extent ? t.resized(array, dim, *extent) : array;
}

static Form sliceBy(PaddedForm &f, ArrayRef<Number> starts, ArrayRef<Number> limits,
                    ArrayRef<Number> strides) {
  Padded array = f.at(f.op->getOperand(0));
  for (int64_t dim = 0; dim < array.rank(); ++dim) {
    Range range{starts[dim], limits[dim], strides[dim]};
    bool isOutside =
        range.isKnown() && (*range.start.known < 0 || *range.start.known > *range.limit.known ||
                            *range.limit.known > array.shape()[dim]);
    if (isOutside || (range.stride.known && *range.stride.known < 1))
      return f.op->emitOpError() << "slices positions that dimension " << dim << " does not have";
    array = range.isKnown() ? sliceAtKnown(f.t, array, dim, range)
                            : sliceAtUnknown(f.t, array, dim, range, f.extent(dim));
  }
  return Arrays{array};
}

Form slice(PaddedForm &f, SliceOp op) {
  return sliceBy(f, knownNumbers(op.getStartIndices()), knownNumbers(op.getLimitIndices()),
                 knownNumbers(op.getStrides()));
}

Form dynamicSlice(PaddedForm &f, RealDynamicSliceOp op) {
  return sliceBy(f, f.numbers(op.getStartIndices()), f.numbers(op.getLimitIndices()),
                 f.numbers(op.getStrides()));
}

//===----------------------------------------------------------------------===//
// pad, dynamic_pad
//===----------------------------------------------------------------------===//

FailureOr<Padded> padBy(PaddedForm &f, Padded array, Value padding, ArrayRef<Number> low,
                        ArrayRef<Number> high, ArrayRef<Number> interior,
                        function_ref<std::optional<int64_t>(int64_t)> bound) {
  PaddedTensors &t = f.t;
  SmallVector<int64_t> lows, highs, interiors, changed;
  auto isKnown = [&](int64_t dim) { return low[dim].known && high[dim].known; };
  for (int64_t dim = 0; dim < array.rank(); ++dim) {
    if (!interior[dim].known)
      return f.refuse("the distance between elements must be known");
    if (!isKnown(dim) && !bound(dim))
      return f.refuse("its result's type needs a bound of dimension " + Twine(dim));
    interiors.push_back(*interior[dim].known);
    lows.push_back(isKnown(dim) ? *low[dim].known : 0);
    highs.push_back(isKnown(dim) ? *high[dim].known : 0);
    if (!low[dim].is(0) || !high[dim].is(0) || !interior[dim].is(0))
      changed.push_back(dim);
    int64_t extent = array.shape()[dim];
    __int128 gaps = std::max<__int128>(extent - 1, 0) * interiors[dim];
    __int128 padded = extent + gaps + lows[dim] + highs[dim];
    if (interiors[dim] < 0 || padded < 0 || padded > INT32_MAX)
      return f.op->emitOpError() << "pads dimension " << dim << " to an invalid size";
  }
  array = t.masked(array, padding, changed);
  for (int64_t dim : changed) {
    Value length = t.length(array, dim);
    if (interiors[dim] != 0) {
      Value gaps = t.times(t.atLeast(t.plus(length, -1), 0), interiors[dim]);
      length = t.apply<AddOp>(length, gaps);
    }
    if (!isKnown(dim))
      array.sizes[dim] =
          t.apply<AddOp>(t.apply<AddOp>(length, t.scalar(low[dim])), t.scalar(high[dim]));
    else if (array.sizes[dim])
      array.sizes[dim] = t.atLeast(t.plus(length, lows[dim] + highs[dim]), 0);
  }
  array.value = t.pad(array.value, padding, lows, highs, interiors);
  for (int64_t dim : changed) {
    if (isKnown(dim))
      continue;
    int64_t most = *bound(dim);
    Value start = t.apply<SubtractOp>(t.scalar(0), t.scalar(low[dim]));
    array.value = t.shifted(array.value, dim, t.atLeast(start, -most), most, padding, most);
    array.sizes[dim] = t.within(array.sizes[dim], 0, most);
  }
  return array;
}

static Form padded(PaddedForm &f, Value padding, ArrayRef<Number> low, ArrayRef<Number> high,
                   ArrayRef<Number> interior) {
  auto extent = [&](int64_t dim) { return f.extent(dim); };
  FailureOr<Padded> array =
      padBy(f, f.at(f.op->getOperand(0)), padding, low, high, interior, extent);
  if (failed(array))
    return failure();
  return Arrays{*array};
}

Form pad(PaddedForm &f, PadOp op) {
  return padded(f, op.getPaddingValue(), knownNumbers(op.getEdgePaddingLow()),
                knownNumbers(op.getEdgePaddingHigh()), knownNumbers(op.getInteriorPadding()));
}

Form dynamicPad(PaddedForm &f, DynamicPadOp op) {
  return padded(f, op.getPaddingValue(), f.numbers(op.getEdgePaddingLow()),
                f.numbers(op.getEdgePaddingHigh()), f.numbers(op.getInteriorPadding()));
}

//===----------------------------------------------------------------------===//
// concatenate, reverse, transpose
//===----------------------------------------------------------------------===//

/// Writes each array over the padding of those before it.
Form concatenate(PaddedForm &f, ConcatenateOp op) {
  PaddedTensors &t = f.t;
  Arrays arrays = f.at(op.getOperands());
  auto dim = static_cast<int64_t>(op.getDimension());
  for (int64_t other = 0; other < f.declared().getRank(); ++other) {
    if (other == dim)
      continue;
    SmallVector<Place> places;
    for (unsigned i = 0; i < arrays.size(); ++i)
      places.push_back({i, other});
    t.align(arrays, places, f.size(other));
  }
  int64_t extent = 0;
  for (const Padded &array : arrays)
    extent += array.shape()[dim];
  // Those up to the first padded one lie where they are in any case.
  size_t count = 0;
  while (count < arrays.size() && !arrays[count].sizes[dim])
    ++count;
  count = std::min(count + 1, arrays.size());
  for (const Padded &array : arrays)
    for (int64_t other = 0; other < array.rank(); ++other)
      if (other != dim && array.shape()[other] != arrays.front().shape()[other])
        return op.emitOpError() << "has operands with " << array.shape()[other] << " and "
                                << arrays.front().shape()[other] << " elements of dimension "
                                << other;
  SmallVector<Value> first = valuesOf(ArrayRef(arrays).take_front(count));
  Padded result(t.concatenate(first, dim), arrays.front().sizes);
  int64_t before = result.shape()[dim] - arrays[count - 1].shape()[dim];
  if (arrays[count - 1].sizes[dim])
    result.sizes[dim] = t.plus(arrays[count - 1].sizes[dim], before);
  Value size = result.sizes[dim];
  result = t.resized(result, dim, extent);
  for (const Padded &array : ArrayRef(arrays).drop_front(count)) {
    SmallVector<Value> starts(array.rank(), t.scalar(0));
    starts[dim] = size;
    result.value = DynamicUpdateSliceOp::create(t.b, t.loc, result.value, array.value, starts);
    size = t.apply<AddOp>(size, t.length(array, dim));
  }
  result.sizes[dim] = size;
  return Arrays{result};
}

Padded reversed(PaddedTensors &t, Padded array, ArrayRef<int64_t> dims) {
  array.value = ReverseOp::create(t.b, t.loc, array.value, dims);
  for (int64_t dim : dims)
    if (Value size = array.sizes[dim]) {
      int64_t extent = array.shape()[dim];
      Value start = t.apply<SubtractOp>(t.scalar(extent), size);
      array.value = t.shifted(array.value, dim, start, extent, t.zero(array.element()));
    }
  return array;
}

Form reverse(PaddedForm &f, ReverseOp op) {
  return Arrays{reversed(f.t, f.at(op.getOperand()), op.getDimensions())};
}

Form transpose(PaddedForm &f, TransposeOp op) {
  Padded array = f.at(op.getOperand());
  SmallVector<Value> sizes;
  for (int64_t dim : op.getPermutation())
    sizes.push_back(array.sizes[dim]);
  return f.rebuild(array.value, sizes);
}

} // namespace systole::refine
