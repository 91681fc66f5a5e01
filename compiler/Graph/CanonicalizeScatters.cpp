// Rewrites scatters to canonical form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/ScatterBuilder.h"
#include "compiler/Tensor/Indices.h"
#include "compiler/Tensor/Scatters.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_CANONICALIZESCATTERS
#include "compiler/Graph/Passes.h.inc"

using namespace stablehlo;
using namespace expansion;

ScatterBuilder::ScatterBuilder(ScatterOp op)
    : op(op), t(op), i32(t.b.getI32Type()), shape(typeOf(op.getInputs().front()).getShape()),
      window(op.getWindowSizes()) {
  auto numbers = op.getScatterDimensionNumbers();
  RankedTensorType update = typeOf(op.getUpdates().front());
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < update.getRank(); ++d)
    if (!llvm::is_contained(numbers.getUpdateWindowDims(), d)) {
      order.push_back(d);
      positions.push_back(update.getDimSize(d));
    }
  count = ShapedType::getNumElements(positions);
  llvm::append_range(order, numbers.getUpdateWindowDims());
  Sizes whole(positions);
  llvm::append_range(whole, window);
  for (auto [input, given, result] :
       llvm::zip_equal(op.getInputs(), op.getUpdates(), op.getResults())) {
    Type element = typeOf(result).getElementType();
    inputs.push_back(t.convert(input, element));
    updates.push_back(t.reshape(t.transpose(t.convert(given, element), order), whole));
  }

  starts = startsOf(t.b, t.loc, op.getScatterIndices(), numbers.getIndexVectorDim(), shape.size(),
                    numbers.getScatterDimsToOperandDims(), numbers.getInputBatchingDims(),
                    numbers.getScatterIndicesBatchingDims());
}

SmallVector<Value> ScatterBuilder::build() {
  if (typeOf(op.getUpdates().front()).getNumElements() == 0 ||
      ShapedType::getNumElements(shape) == 0)
    return inputs;
  auto found = axes();
  // A window of a large tensor is updated in place.
  constexpr int64_t largeElements = 1 << 18;
  bool isChosen = llvm::any_of(starts, [](Value start) { return start && !splatOf(start); });
  if (count == 1 && (!found || isChosen || ShapedType::getNumElements(shape) > largeElements))
    return buildWindow();
  if (found)
    return buildSelection(*found);
  return areSums(op) ? buildSums() : buildRows();
}

//===----------------------------------------------------------------------===//
// One window
//===----------------------------------------------------------------------===//

void ScatterBuilder::checkInside(Value &isInside, Value start, int64_t last) {
  Value zero = t.number(i32, 0, shapeOf(start)), bound = t.number(i32, last, shapeOf(start));
  isInside = both(isInside, t.compare(ComparisonDirection::GE, start, zero));
  isInside = both(isInside, t.compare(ComparisonDirection::LE, start, bound));
}

SmallVector<Value> ScatterBuilder::buildWindow() {
  SmallVector<Value> windowStarts;
  Value isInside;
  for (auto [d, start] : llvm::enumerate(starts)) {
    int64_t last = shape[d] - window[d];
    std::optional<int64_t> known = start ? splatOf(start) : std::optional<int64_t>(0);
    if (known && (*known < 0 || *known > last))
      return inputs;
    windowStarts.push_back(known ? t.number(i32, *known) : t.reshape(start, {}));
    if (known)
      continue;
    checkInside(isInside, windowStarts.back(), last);
  }
  SmallVector<Value> old, arguments;
  for (Value input : inputs)
    old.push_back(DynamicSliceOp::create(t.b, t.loc, input, windowStarts, window));
  llvm::append_range(arguments, old);
  for (Value update : updates)
    arguments.push_back(t.reshape(update, window));
  SmallVector<Value> results = applyBody(t, op.getUpdateComputation(), arguments);
  for (auto [i, result] : llvm::enumerate(results)) {
    if (isInside)
      result = t.select(t.fill(isInside, window), result, old[i]);
    result = DynamicUpdateSliceOp::create(t.b, t.loc, inputs[i], result, windowStarts);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The row index at which each window starts, -1 for out-of-bounds windows. Along `expanded`
/// dimensions every element of a window has its own index.
Value ScatterBuilder::flatIndices(ArrayRef<int64_t> scattered, ArrayRef<int64_t> expanded) {
  Sizes sizes(positions);
  for (int64_t d : expanded)
    sizes.push_back(window[d]);
  SmallVector<int64_t> outer(positions.size());
  std::iota(outer.begin(), outer.end(), 0);
  // The index is in bounds if it is a row of the inputs.
  auto numbers = llvm::make_filter_range(scattered, [&](int64_t d) { return shape[d] > 1; });
  int64_t checked = llvm::count_if(starts, [](Value start) { return start != nullptr; });
  if (checked == 1 && expanded.empty() && llvm::hasSingleElement(numbers) &&
      starts[*numbers.begin()])
    return starts[*numbers.begin()];
  Value isInside, flat;
  auto add = [&](Value value, int64_t stride) {
    if (stride != 1)
      value = t.apply<MulOp>(value, t.number(i32, stride, shapeOf(value)));
    flat = flat ? t.apply<AddOp>(flat, value) : value;
  };
  for (auto [d, start] : llvm::enumerate(starts))
    if (start)
      checkInside(isInside, start, shape[d] - window[d]);
  int64_t stride = 1;
  for (int64_t d : llvm::reverse(scattered)) {
    if (starts[d] && shape[d] > 1)
      add(starts[d], stride);
    stride *= shape[d];
  }
  if (!flat)
    flat = t.number(i32, 0, positions);
  if (isInside)
    flat = t.select(isInside, flat, t.number(i32, -1, positions));
  if (expanded.empty())
    return flat;
  Value valid = t.compare(ComparisonDirection::GE, flat, t.number(i32, 0, positions));
  flat = broadcast(flat, sizes, outer);
  stride = 1;
  for (int64_t d : llvm::reverse(scattered)) {
    if (auto *found = llvm::find(expanded, d); found != expanded.end())
      add(t.iota(i32, sizes, positions.size() + (found - expanded.begin())), stride);
    stride *= shape[d];
  }
  return t.select(broadcast(valid, sizes, outer), flat, t.number(i32, -1, sizes));
}

Value ScatterBuilder::updateRows(Value update, ArrayRef<int64_t> expanded, ArrayRef<int64_t> kept,
                                 int64_t padding) {
  int64_t rank = positions.size();
  SmallVector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  SmallVector<bool> used(shape.size());
  for (int64_t d : llvm::concat<const int64_t>(expanded, kept)) {
    order.push_back(rank + d);
    used[d] = true;
  }
  // The other dimensions have size 1.
  for (auto [d, isUsed] : llvm::enumerate(used))
    if (!isUsed)
      order.push_back(rank + d);
  Sizes rows = {count};
  for (int64_t d : expanded)
    rows[0] *= window[d];
  for (int64_t d : kept)
    rows.push_back(window[d]);
  SmallVector<int64_t> none(rows.size()), high(rows.size());
  high[0] = padding;
  return t.pad(t.reshape(t.transpose(update, order), rows),
               t.number(typeOf(update).getElementType(), 0), none, high, none);
}

SmallVector<Value> ScatterBuilder::buildRows() {
  // Dimensions that windows fill completely form the rows; the others enumerate them.
  SmallVector<int64_t> scattered, expanded, kept;
  for (auto [d, size] : llvm::enumerate(window)) {
    bool isWhole = size == shape[d] && size != 1;
    (isWhole ? kept : scattered).push_back(d);
    if (!isWhole && size != 1)
      expanded.push_back(d);
  }
  SmallVector<int64_t> order(scattered);
  llvm::append_range(order, kept);
  Sizes rows = {1}, moved, rowShape;
  for (int64_t d : order)
    moved.push_back(shape[d]);
  for (int64_t d : scattered)
    rows[0] *= shape[d];
  for (int64_t d : kept)
    rowShape.push_back(shape[d]);
  // Rows of several dimensions lie without padding between them.
  if (rowShape.size() > 1 && rowShape.back() % kLanes != 0)
    rowShape = {ShapedType::getNumElements(rowShape)};
  llvm::append_range(rows, rowShape);
  int64_t updateCount = count;
  for (int64_t d : expanded)
    updateCount *= window[d];

  int64_t chunk = scatterChunk(rowShape);
  int64_t padding = updateCount > chunk ? llvm::alignTo(updateCount, chunk) - updateCount : 0;
  Value indices = t.reshape(flatIndices(scattered, expanded), {updateCount});
  indices = t.pad(indices, t.number(i32, -1), {0}, {padding}, {0});
  SmallVector<Value> tables, rowUpdates;
  for (auto [input, update] : llvm::zip_equal(inputs, updates)) {
    tables.push_back(t.reshape(t.transpose(input, order), rows));
    Sizes updateShape = {updateCount + padding};
    llvm::append_range(updateShape, rowShape);
    rowUpdates.push_back(t.reshape(updateRows(update, expanded, kept, padding), updateShape));
  }
  SmallVector<int64_t> windowDims(rowShape.size());
  std::iota(windowDims.begin(), windowDims.end(), 1);
  auto numbers = ScatterDimensionNumbersAttr::get(op.getContext(), windowDims, {0}, {}, {}, {0}, 1);
  auto scatter = ScatterOp::create(t.b, t.loc, TypeRange(ValueRange(tables)), tables, indices,
                                   rowUpdates, numbers, /*indices_are_sorted=*/nullptr,
                                   /*unique_indices=*/nullptr);
  scatter.getUpdateComputation().takeBody(op.getUpdateComputation());
  SmallVector<int64_t> back(order.size());
  for (auto [i, d] : llvm::enumerate(order))
    back[d] = i;
  return llvm::map_to_vector(scatter.getResults(), [&](Value result) {
    return t.transpose(t.reshape(result, moved), back);
  });
}

namespace {
struct CanonicalizeScatters : impl::CanonicalizeScattersBase<CanonicalizeScatters> {
  void rewrite() override {
    WalkResult result = getOperation().walk([](ScatterOp op) {
      if (isRowScatter(op) && !areSums(op))
        return WalkResult::advance();
      if (failed(checkElementwise(op.getUpdateComputation())))
        return WalkResult::interrupt();
      SmallVector<Value> results = ScatterBuilder(op).build();
      op->replaceAllUsesWith(results);
      op->erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
} // namespace systole
