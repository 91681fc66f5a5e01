// Builds operations on padded arrays.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Refine/Padded.h"

#include "compiler/Legalize/Decompose/Decompose.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Value PaddedTensors::length(const Padded &array, int64_t dim) {
  return array.sizes[dim] ? array.sizes[dim] : scalar(array.shape()[dim]);
}

Value PaddedTensors::zero(Type element) {
  return decomposition::zeros(*this, RankedTensorType::get({}, element));
}

Value PaddedTensors::plus(Value x, int64_t y) { return y == 0 ? x : apply<AddOp>(x, scalar(y)); }

Value PaddedTensors::times(Value x, int64_t y) { return y == 1 ? x : apply<MulOp>(x, scalar(y)); }

Value PaddedTensors::dividedBy(Value x, int64_t y) {
  return y == 1 ? x : apply<DivOp>(plus(x, y - 1), scalar(y));
}

Value PaddedTensors::atLeast(Value x, int64_t low) { return apply<MaxOp>(x, scalar(low)); }

Value PaddedTensors::within(Value x, int64_t low, int64_t high) {
  return apply<MinOp>(atLeast(x, low), scalar(high));
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

Value PaddedTensors::isInside(Sizes shape, int64_t dim, Value size) {
  return compare(Direction::LT, iota(b.getI32Type(), shape, dim), fill(size, shape));
}

Padded PaddedTensors::masked(const Padded &array, Value filling, Sizes dims) {
  Value mask;
  for (int64_t dim : dims)
    if (Value size = array.sizes[dim]) {
      Value inside = isInside(array.shape(), dim, size);
      mask = mask ? apply<AndOp>(mask, inside) : inside;
    }
  if (!mask)
    return array;
  return {select(mask, array.value, fill(filling, array.shape())), array.sizes};
}

Padded PaddedTensors::masked(const Padded &array, Sizes dims) {
  bool isPadded = llvm::any_of(dims, [&](int64_t dim) { return bool(array.sizes[dim]); });
  return isPadded ? masked(array, zero(array.element()), dims) : array;
}

Padded PaddedTensors::resized(const Padded &array, int64_t dim, int64_t extent) {
  int64_t now = array.shape()[dim];
  if (now == extent)
    return array;
  SmallVector<Value> sizes = array.sizes;
  if (extent < now) {
    if (sizes[dim])
      sizes[dim] = apply<MinOp>(sizes[dim], scalar(extent));
    return {slice(array.value, dim, 0, extent), sizes};
  }
  if (!sizes[dim])
    sizes[dim] = scalar(now);
  SmallVector<int64_t> none(array.rank(), 0), high = none;
  high[dim] = extent - now;
  return {pad(array.value, zero(array.element()), none, high, none), sizes};
}

Padded PaddedTensors::fixed(const Padded &array, int64_t dim, int64_t size) {
  Padded result = resized(masked(array, {dim}), dim, size);
  result.sizes[dim] = nullptr;
  return result;
}

Value PaddedTensors::shifted(Value array, int64_t dim, Value start, int64_t extent, Value padding,
                             int64_t before) {
  SmallVector<int64_t> none(shapeOf(array).size(), 0), low = none, high = none;
  low[dim] = before;
  high[dim] = extent;
  Value wide = pad(array, padding, low, high, none);
  SmallVector<Value> starts(low.size(), scalar(0));
  starts[dim] = plus(start, before);
  SmallVector<int64_t> shape(shapeOf(array));
  shape[dim] = extent;
  return DynamicSliceOp::create(b, loc, wide, starts, shape);
}

Value PaddedTensors::take(Value array, int64_t dim, Value indices) {
  int64_t count = shapeOf(indices)[0];
  SmallVector<int64_t> window(shapeOf(array)), shape = window, kept;
  window[dim] = 1;
  shape[dim] = count;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (d != dim)
      kept.push_back(d);
  auto numbers = GatherDimensionNumbersAttr::get(b.getContext(), kept, {dim}, {}, {}, {dim}, 1);
  return GatherOp::create(b, loc, typeOf(array).clone(shape), array, reshape(indices, {count, 1}),
                          numbers, window, /*indices_are_sorted=*/false);
}

void PaddedTensors::align(MutableArrayRef<Padded> arrays, ArrayRef<Place> places,
                          std::optional<int64_t> fixed) {
  int64_t extent = fixed.value_or(INT64_MAX);
  Value size;
  for (auto [number, dim] : places) {
    if (!fixed)
      extent = std::min(extent, arrays[number].shape()[dim]);
    if (!size)
      size = arrays[number].sizes[dim];
  }
  if (!size)
    return;
  for (auto [number, dim] : places) {
    arrays[number] = resized(arrays[number], dim, extent);
    arrays[number].sizes[dim] = size;
  }
}

} // namespace systole::refine
