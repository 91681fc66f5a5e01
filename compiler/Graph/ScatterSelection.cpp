// Scatters whose indices count along dimensions of the inputs, as selections.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/ScatterBuilder.h"
#include "compiler/Tensor/Indices.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;
using namespace expansion;

std::optional<SmallVector<std::optional<ScatterBuilder::Axis>>> ScatterBuilder::axes() const {
  // Positions without an axis take a pass over the inputs each; a loop takes a step per update.
  constexpr int64_t mostPasses = 8, cyclesPerVector = 6, vector = 1024, cyclesPerStep = 40;
  SmallVector<std::optional<Axis>> result(shape.size());
  llvm::SmallDenseSet<int64_t> used;
  int64_t passes = count;
  for (auto [d, start] : llvm::enumerate(starts)) {
    auto windowDim = static_cast<int64_t>(positions.size() + d);
    std::optional<int64_t> known = start ? splatOf(start) : std::optional<int64_t>(0);
    if (window[d] != 1 || !start) {
      // A window at a static, in-bounds position.
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
  // Indices have no window dimensions, which are not spread.
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
  // The other dimensions are positions of which one is selected, and dimensions of size 1.
  SmallVector<int64_t> starts(rank), limits(type.getShape()), strides(rank, 1);
  for (int64_t d = rank - 1; d >= 0; --d)
    if (!isAxis[d] && type.getDimSize(d) > 1) {
      starts[d] = number % type.getDimSize(d);
      limits[d] = starts[d] + 1;
      number /= type.getDimSize(d);
    }
  value = t.slice(value, starts, limits, strides);
  for (int64_t d = 0; d < rank; ++d)
    if (!isAxis[d])
      order.push_back(d);
  value = t.reshape(t.transpose(value, order), sizes);
  value = t.pad(value, padding, low, high, interior);
  return broadcast(value, shape, dims);
}

SmallVector<Value> ScatterBuilder::buildSelection(ArrayRef<std::optional<Axis>> axes) {
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
      // A mask of the elements with an update: ones, spread in the same way.
      Sizes whole(positions);
      llvm::append_range(whole, window);
      Value present = spread(t.number(i32, 1, whole), axes, number, t.number(i32, 0));
      isUpdated = t.compare(ComparisonDirection::NE, present, t.number(i32, 0, shape));
    }
    for (auto [d, axis] : llvm::enumerate(axes))
      if (!axis) {
        Value wanted = spread(starts[d], axes, number, t.number(i32, -1));
        isUpdated =
            both(isUpdated, t.compare(ComparisonDirection::EQ, t.iota(i32, shape, d), wanted));
      }
    SmallVector<Value> arguments(results);
    for (Value update : updates)
      arguments.push_back(
          spread(update, axes, number, t.number(typeOf(update).getElementType(), 0)));
    SmallVector<Value> combined = applyBody(t, op.getUpdateComputation(), arguments);
    for (auto [updated, result] : llvm::zip_equal(combined, results))
      result = isUpdated ? t.select(isUpdated, updated, result) : updated;
  }
  return results;
}

} // namespace systole
