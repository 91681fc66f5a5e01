// Brings scatters into the form that kernels take.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Indices.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/ScatterBuilder.h"
#include "compiler/Graph/Scatters.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_CANONICALIZESCATTERS
#include "compiler/Graph/Passes.h.inc"

using namespace stablehlo;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Value ScatterBuilder::constant(Type element, int64_t value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, element);
  Attribute attr = isa<FloatType>(element)
                       ? Attribute(b.getFloatAttr(element, static_cast<double>(value)))
                       : Attribute(IntegerAttr::get(element, value));
  return ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<Attribute>(attr)));
}

Value ScatterBuilder::compare(Value x, Value y, ComparisonDirection direction) {
  return CompareOp::create(b, loc, typeOf(x).clone(b.getI1Type()), x, y, direction,
                           ComparisonTypeAttr());
}

Value ScatterBuilder::both(Value x, Value y) { return x ? Value(AndOp::create(b, loc, x, y)) : y; }

Value ScatterBuilder::transpose(Value value, ArrayRef<int64_t> order) {
  Sizes sizes = llvm::map_to_vector(order, [&](int64_t d) { return typeOf(value).getDimSize(d); });
  return TransposeOp::create(b, loc, typeOf(value).clone(sizes), value, order);
}

Value ScatterBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  return ReshapeOp::create(b, loc, typeOf(value).clone(shape), value);
}

Value ScatterBuilder::broadcast(Value value, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  return BroadcastInDimOp::create(b, loc, typeOf(value).clone(shape), value, dims);
}

SmallVector<Value> ScatterBuilder::applyBody(ValueRange arguments, ArrayRef<int64_t> shape) {
  Block &body = op.getUpdateComputation().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (Operation &inner : body.without_terminator()) {
    auto type = typeOf(inner.getResult(0)).clone(shape);
    if (auto number = dyn_cast<ConstantOp>(inner)) {
      auto elements = cast<DenseElementsAttr>(number.getValue());
      mapping.map(number.getResult(),
                  ConstantOp::create(b, loc, elements.resizeSplat(type)).getResult());
      continue;
    }
    // What comes from outside is the same for all elements.
    for (Value operand : inner.getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, broadcast(operand, shape, {}));
    Operation *copy = b.clone(inner, mapping);
    copy->getResult(0).setType(type);
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), [&](Value value) {
    return mapping.contains(value) ? mapping.lookup(value) : broadcast(value, shape, {});
  });
}

ScatterBuilder::ScatterBuilder(ScatterOp op)
    : op(op), b(op), loc(op.getLoc()), i32(b.getI32Type()),
      shape(typeOf(op.getInputs().front()).getShape()), window(op.getWindowSizes()) {
  auto numbers = op.getScatterDimensionNumbers();
  auto asResult = [&](Value value, Value result) -> Value {
    auto type = typeOf(value).clone(typeOf(result).getElementType());
    return type == value.getType() ? value : ConvertOp::create(b, loc, type, value);
  };
  RankedTensorType update = typeOf(op.getUpdates().front());
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < update.getRank(); ++d)
    if (!llvm::is_contained(numbers.getUpdateWindowDims(), d)) {
      order.push_back(d);
      positions.push_back(update.getDimSize(d));
    }
  count = product(positions);
  llvm::append_range(order, numbers.getUpdateWindowDims());
  Sizes whole(positions);
  llvm::append_range(whole, window);
  for (auto [input, given, result] :
       llvm::zip_equal(op.getInputs(), op.getUpdates(), op.getResults())) {
    inputs.push_back(asResult(input, result));
    updates.push_back(reshape(transpose(asResult(given, result), order), whole));
  }

  starts.resize(shape.size());
  int64_t vectorDim = numbers.getIndexVectorDim();
  SmallVector<Value> coordinates = coordinatesOf(b, loc, op.getScatterIndices(), vectorDim);
  for (auto [d, coordinate] : llvm::zip_equal(numbers.getScatterDimsToOperandDims(), coordinates))
    starts[d] = coordinate;
  for (auto [d, partner] :
       llvm::zip_equal(numbers.getInputBatchingDims(), numbers.getScatterIndicesBatchingDims()))
    starts[d] = IotaOp::create(b, loc, RankedTensorType::get(positions, i32),
                               partner - (partner > vectorDim));
}

SmallVector<Value> ScatterBuilder::build() {
  if (typeOf(op.getUpdates().front()).getNumElements() == 0 || product(shape) == 0)
    return inputs;
  auto found = axes();
  // A window of a large array is replaced where it lies.
  constexpr int64_t largeElements = 1 << 18;
  bool isChosen = llvm::any_of(starts, [](Value start) { return start && !splatOf(start); });
  if (count == 1 && (!found || isChosen || product(shape) > largeElements))
    return buildWindow();
  return found ? buildSelection(*found) : buildRows();
}

//===----------------------------------------------------------------------===//
// One window
//===----------------------------------------------------------------------===//

SmallVector<Value> ScatterBuilder::buildWindow() {
  SmallVector<Value> places;
  Value isInside;
  for (auto [d, start] : llvm::enumerate(starts)) {
    int64_t last = shape[d] - window[d];
    std::optional<int64_t> known = start ? splatOf(start) : std::optional<int64_t>(0);
    if (known && (*known < 0 || *known > last))
      return inputs;
    places.push_back(known ? constant(i32, *known) : reshape(start, {}));
    if (known)
      continue;
    Value bound = constant(i32, last), zero = constant(i32, 0);
    isInside = both(isInside, compare(places.back(), zero, ComparisonDirection::GE));
    isInside = both(isInside, compare(places.back(), bound, ComparisonDirection::LE));
  }
  SmallVector<Value> old, arguments;
  for (Value input : inputs)
    old.push_back(
        DynamicSliceOp::create(b, loc, typeOf(input).clone(window), input, places, window));
  llvm::append_range(arguments, old);
  for (Value update : updates)
    arguments.push_back(reshape(update, window));
  SmallVector<Value> results = applyBody(arguments, window);
  for (auto [i, result] : llvm::enumerate(results)) {
    if (isInside)
      result = SelectOp::create(b, loc, broadcast(isInside, window, {}), result, old[i]);
    result = DynamicUpdateSliceOp::create(b, loc, inputs[i], result, places);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The number of the row that each window starts at, -1 where it would leave the inputs.
/// Along `expanded` dimensions every element of a window has an index of its own.
Value ScatterBuilder::flatIndices(ArrayRef<int64_t> scattered, ArrayRef<int64_t> expanded) {
  Sizes sizes(positions);
  for (int64_t d : expanded)
    sizes.push_back(window[d]);
  SmallVector<int64_t> outer(positions.size());
  std::iota(outer.begin(), outer.end(), 0);
  // The number of a row is inside if it is one of the inputs.
  auto numbers = llvm::make_filter_range(scattered, [&](int64_t d) { return shape[d] > 1; });
  int64_t checked = llvm::count_if(starts, [](Value start) { return start != nullptr; });
  if (checked == 1 && expanded.empty() && llvm::hasSingleElement(numbers) &&
      starts[*numbers.begin()])
    return starts[*numbers.begin()];
  Value isInside, flat;
  auto add = [&](Value value) { flat = flat ? AddOp::create(b, loc, flat, value) : value; };
  auto scaled = [&](Value value, int64_t stride) -> Value {
    return stride == 1
               ? value
               : MulOp::create(b, loc, value, constant(i32, stride, typeOf(value).getShape()));
  };
  for (auto [d, start] : llvm::enumerate(starts)) {
    if (!start)
      continue;
    Value bound = constant(i32, shape[d] - window[d], positions);
    isInside = both(isInside, compare(start, constant(i32, 0, positions), ComparisonDirection::GE));
    isInside = both(isInside, compare(start, bound, ComparisonDirection::LE));
  }
  int64_t stride = 1;
  for (int64_t d : llvm::reverse(scattered)) {
    if (starts[d] && shape[d] > 1)
      add(scaled(starts[d], stride));
    stride *= shape[d];
  }
  if (!flat)
    flat = constant(i32, 0, positions);
  if (isInside)
    flat = SelectOp::create(b, loc, isInside, flat, constant(i32, -1, positions));
  if (expanded.empty())
    return flat;
  Value valid = compare(flat, constant(i32, 0, positions), ComparisonDirection::GE);
  flat = broadcast(flat, sizes, outer);
  stride = 1;
  for (int64_t d : llvm::reverse(scattered)) {
    if (auto *place = llvm::find(expanded, d); place != expanded.end())
      add(scaled(IotaOp::create(b, loc, RankedTensorType::get(sizes, i32),
                                positions.size() + (place - expanded.begin())),
                 stride));
    stride *= shape[d];
  }
  return SelectOp::create(b, loc, broadcast(valid, sizes, outer), flat, constant(i32, -1, sizes));
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
  // All others have one element.
  for (auto [d, isUsed] : llvm::enumerate(used))
    if (!isUsed)
      order.push_back(rank + d);
  Sizes rows = {count};
  for (int64_t d : expanded)
    rows[0] *= window[d];
  for (int64_t d : kept)
    rows.push_back(window[d]);
  Value result = reshape(transpose(update, order), rows);
  if (padding == 0)
    return result;
  SmallVector<int64_t> none(rows.size()), high(rows.size());
  high[0] = padding;
  rows[0] += padding;
  Value zero = constant(typeOf(update).getElementType(), 0);
  return PadOp::create(b, loc, typeOf(result).clone(rows), result, zero, none, high, none);
}

SmallVector<Value> ScatterBuilder::buildRows() {
  // Dimensions along which windows are whole are the rows; the others number them.
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
  llvm::append_range(rows, rowShape);
  int64_t updateCount = count;
  for (int64_t d : expanded)
    updateCount *= window[d];

  int64_t chunk = scatterChunk(rowShape);
  int64_t padding = updateCount > chunk ? llvm::alignTo(updateCount, chunk) - updateCount : 0;
  Value indices = reshape(flatIndices(scattered, expanded), {updateCount});
  if (padding) {
    auto type = RankedTensorType::get({updateCount + padding}, i32);
    const int64_t none[] = {0}, high[] = {padding};
    indices = PadOp::create(b, loc, type, indices, constant(i32, -1), none, high, none);
  }
  SmallVector<Value> tables, rowUpdates;
  for (auto [input, update] : llvm::zip_equal(inputs, updates)) {
    tables.push_back(reshape(transpose(input, order), rows));
    rowUpdates.push_back(updateRows(update, expanded, kept, padding));
  }
  SmallVector<int64_t> windowDims(kept.size());
  std::iota(windowDims.begin(), windowDims.end(), 1);
  auto numbers = ScatterDimensionNumbersAttr::get(b.getContext(), windowDims, {0}, {}, {}, {0}, 1);
  auto scatter = ScatterOp::create(b, loc, TypeRange(ValueRange(tables)), tables, indices,
                                   rowUpdates, numbers, /*indices_are_sorted=*/nullptr,
                                   /*unique_indices=*/nullptr);
  scatter.getUpdateComputation().takeBody(op.getUpdateComputation());
  SmallVector<int64_t> back(order.size());
  for (auto [place, d] : llvm::enumerate(order))
    back[d] = place;
  return llvm::map_to_vector(scatter.getResults(),
                             [&](Value result) { return transpose(reshape(result, moved), back); });
}

namespace {
struct CanonicalizeScatters : impl::CanonicalizeScattersBase<CanonicalizeScatters> {
  void runOnOperation() override {
    getOperation().walk([](ScatterOp op) {
      if (isRowScatter(op) || !isElementwiseBody(op.getUpdateComputation().front()))
        return;
      SmallVector<Value> results = ScatterBuilder(op).build();
      op->replaceAllUsesWith(results);
      op->erase();
    });
  }
};
} // namespace
} // namespace systole
