// Scatters whose indices count along dimensions of the inputs, as selections.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Indices.h"
#include "compiler/Graph/ScatterBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

std::optional<SmallVector<std::optional<ScatterBuilder::Axis>>> ScatterBuilder::axes() const {
  // Positions without axis take a pass over all of the inputs each, others a step of a loop.
  constexpr int64_t mostPasses = 8, cyclesPerVector = 6, vector = 1024, cyclesPerStep = 40;
  SmallVector<std::optional<Axis>> result(shape.size());
  llvm::SmallDenseSet<int64_t> used;
  int64_t passes = count;
  for (auto [d, start] : llvm::enumerate(starts)) {
    auto windowDim = static_cast<int64_t>(positions.size() + d);
    std::optional<int64_t> known = start ? splatOf(start) : std::optional<int64_t>(0);
    if (window[d] != 1 || !start) {
      // A window at a place that is known, inside of the inputs.
      if (!known || *known < 0 || *known + window[d] > shape[d])
        return std::nullopt;
      result[d] = Axis{windowDim, *known};
      continue;
    }
    auto counted = progressionOf(start);
    if (!counted || counted->step < 1 || counted->first < 0)
      continue;
    int64_t size = positions[counted->dim];
    if (counted->first + counted->step * (size - 1) >= shape[d] ||
        !used.insert(counted->dim).second)
      continue;
    result[d] = Axis{counted->dim, counted->first, counted->step};
    passes /= size;
  }
  int64_t vectors = 1;
  for (int64_t size : shape)
    vectors *= size;
  vectors = llvm::divideCeil(vectors, vector);
  bool pays = passes == 1 ||
              (passes <= mostPasses && passes * vectors * cyclesPerVector <= count * cyclesPerStep);
  return pays ? std::optional(result) : std::nullopt;
}

Value ScatterBuilder::spread(Value value, ArrayRef<std::optional<Axis>> axes, int64_t number,
                             Value padding) {
  RankedTensorType type = typeOf(value);
  int64_t rank = type.getRank();
  SmallVector<bool> isAxis(rank);
  SmallVector<int64_t> order, sizes, low, high, interior, dims;
  // Dimensions that `value` lacks, those of a window for indices, are not there to spread.
  for (auto [d, axis] : llvm::enumerate(axes)) {
    if (!axis || axis->source >= rank)
      continue;
    int64_t size = type.getDimSize(axis->source);
    isAxis[axis->source] = true;
    order.push_back(axis->source);
    sizes.push_back(size);
    low.push_back(axis->first);
    interior.push_back(axis->step - 1);
    high.push_back(shape[d] - axis->first - axis->step * (size - 1) - 1);
    dims.push_back(d);
  }
  // All others are positions of which one is chosen, and dimensions of one element.
  SmallVector<int64_t> starts(rank), limits(type.getShape()), strides(rank, 1), slice;
  for (int64_t d = rank - 1; d >= 0; --d)
    if (!isAxis[d] && type.getDimSize(d) > 1) {
      starts[d] = number % type.getDimSize(d);
      limits[d] = starts[d] + 1;
      number /= type.getDimSize(d);
    }
  for (auto [start, limit] : llvm::zip_equal(starts, limits))
    slice.push_back(limit - start);
  if (slice != type.getShape())
    value = SliceOp::create(b, loc, type.clone(slice), value, starts, limits, strides);
  for (int64_t d = 0; d < rank; ++d)
    if (!isAxis[d])
      order.push_back(d);
  value = reshape(transpose(value, order), sizes);
  SmallVector<int64_t> padded = llvm::map_to_vector(dims, [&](int64_t d) { return shape[d]; });
  if (padded != sizes)
    value = PadOp::create(b, loc, type.clone(padded), value, padding, low, high, interior);
  return broadcast(value, shape, dims);
}

SmallVector<Value> ScatterBuilder::buildSelection(ArrayRef<std::optional<Axis>> axes) {
  auto grid = RankedTensorType::get(shape, i32);
  int64_t passes = count;
  bool isPadded = false;
  for (auto [d, axis] : llvm::enumerate(axes)) {
    if (!axis)
      continue;
    bool isPosition = axis->source < static_cast<int64_t>(positions.size());
    int64_t size = isPosition ? positions[axis->source] : window[d];
    if (isPosition)
      passes /= size;
    isPadded |= size != shape[d];
  }
  SmallVector<Value> results = inputs;
  for (int64_t number = 0; number < passes; ++number) {
    Value isUpdated;
    if (isPadded) {
      // Where updates lie at all: ones in their place.
      Sizes whole(positions);
      llvm::append_range(whole, window);
      Value present = spread(constant(i32, 1, whole), axes, number, constant(i32, 0));
      isUpdated = compare(present, constant(i32, 0, shape), ComparisonDirection::NE);
    }
    for (auto [d, axis] : llvm::enumerate(axes))
      if (!axis) {
        Value wanted = spread(starts[d], axes, number, constant(i32, -1));
        isUpdated = both(isUpdated,
                         compare(IotaOp::create(b, loc, grid, d), wanted, ComparisonDirection::EQ));
      }
    SmallVector<Value> arguments(results);
    for (Value update : updates)
      arguments.push_back(
          spread(update, axes, number, constant(typeOf(update).getElementType(), 0)));
    SmallVector<Value> combined = applyBody(arguments, shape);
    for (auto [old, result] : llvm::zip_equal(combined, results))
      result = isUpdated ? Value(SelectOp::create(b, loc, isUpdated, old, result)) : old;
  }
  return results;
}

} // namespace systole
