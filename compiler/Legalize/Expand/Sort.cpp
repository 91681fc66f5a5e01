// Expands sort to a network that compares halves of whole tensors.
// See docs/decisions/gathers-scatters-and-sorts.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Passes.h"
#include "compiler/Tensor/Tensors.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDSORT
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

/// From this number of independent rows on, they are placed along the lanes.
constexpr int64_t kLaneRows = 32;

// A bitonic network. Stage k sorts blocks of 2^k elements, every second one in descending order, in
// k steps that compare elements at distances 2^(k-1), ..., 2, 1. Each step compares the two halves
// of a block and interleaves them, which rotates the bits of the indices within the block by one:
// partners of the next step are again in different halves, after k steps all elements have their
// original order, and the steps of a stage form one loop.
class Expander {
public:
  explicit Expander(SortOp op) : op(op), t(op), values(op.getInputs()) {
    dim = op.getSortedDimension();
    ArrayRef<int64_t> shape = shapeOf(values.front());
    size = shape[dim];
    for (int64_t before : shape.take_front(dim))
      outer *= before;
    for (int64_t after : shape.drop_front(dim + 1))
      inner *= after;
  }

  void run() {
    if (size > 1 && outer * inner > 0)
      sort();
    op.replaceAllUsesWith(values);
    op.erase();
  }

private:
  using Values = SmallVector<Value>;

  void sort();
  /// Reshapes inputs to padded blocks, and back to results.
  void flatten();
  void unflatten();
  /// Blocks of 2^stage elements.
  void sortBlocks(int64_t stage);
  Values step(ValueRange from, bool isLast);
  /// Whether elements of `high` come before those of `low`, which have different numbers.
  Value isBefore(ValueRange high, ValueRange low);

  /// [blocks, block size, inner]; the last dimension is omitted if it is 1.
  SmallVector<int64_t> blocksOf(int64_t length) {
    SmallVector<int64_t> shape = {outer * (padded / length), length};
    if (inner != 1)
      shape.push_back(inner);
    return shape;
  }
  Values reshape(ValueRange from, ArrayRef<int64_t> shape) {
    return llvm::map_to_vector(from, [&](Value value) { return t.reshape(value, shape); });
  }
  bool isNumbered() { return op.getIsStable() || padded != size; }

  SortOp op;
  Tensors t;
  Values values; // operands and, if needed, element numbers
  int64_t dim, size, padded, outer = 1, inner = 1;
  bool isTransposed = false;
};

/// The type in which elements are moved: the machine computes narrow floats as f32, which may
/// change NaN payloads.
static Type carriedType(Type element) {
  bool isNarrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return isNarrow ? IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth())
                  : element;
}

void Expander::flatten() {
  for (Value &value : values)
    value = t.bitcast(value, carriedType(typeOf(value).getElementType()));
  isTransposed = inner == 1 && outer >= kLaneRows;
  if (isTransposed) {
    values = reshape(values, {outer, size});
    for (Value &value : values)
      value = t.transpose(value, {1, 0});
    std::swap(outer, inner);
  }
  SmallVector<int64_t> shape = {outer, size, inner};
  SmallVector<int64_t> none(3, 0), high = {0, padded - size, 0};
  for (Value &value : values) {
    Value zero = t.number(typeOf(value).getElementType(), 0);
    value = t.reshape(t.pad(t.reshape(value, shape), zero, none, high, none), blocksOf(padded));
  }
  if (isNumbered())
    values.push_back(t.iota(t.b.getI32Type(), blocksOf(padded), 1));
}

void Expander::unflatten() {
  values = reshape(ArrayRef(values).take_front(op.getInputs().size()), {outer, padded, inner});
  for (auto [value, input] : llvm::zip_equal(values, op.getInputs())) {
    value = t.slice(value, 1, 0, size);
    if (isTransposed)
      value = t.transpose(t.reshape(value, {size, inner}), {1, 0});
    value = t.bitcast(t.reshape(value, shapeOf(input)), typeOf(input).getElementType());
  }
}

Value Expander::isBefore(ValueRange high, ValueRange low) {
  auto compare = [&](ValueRange first, ValueRange second) {
    Values args;
    for (auto [number, input] : llvm::enumerate(op.getInputs()))
      for (Value value : {first[number], second[number]})
        args.push_back(t.bitcast(value, typeOf(input).getElementType()));
    return applyBody(t, op.getComparator(), args).front();
  };
  Value before = compare(high, low);
  if (!isNumbered())
    return before;
  Value numberOfHigh = high.back(), numberOfLow = low.back();
  Value follows = t.compare(ComparisonDirection::LT, numberOfHigh, numberOfLow);
  if (op.getIsStable()) {
    Value after = compare(low, high);
    before = t.apply<OrOp>(before, t.apply<AndOp>(t.apply<NotOp>(after), follows));
  }
  if (padded == size)
    return before;
  // Padding comes last, whatever the comparator returns for it.
  Value last = t.apply<MaxOp>(numberOfHigh, numberOfLow);
  Value isPadding =
      t.compare(ComparisonDirection::GE, last, t.number(t.b.getI32Type(), size, shapeOf(last)));
  return t.select(isPadding, follows, before);
}

Expander::Values Expander::step(ValueRange from, bool isLast) {
  int64_t half = shapeOf(from.front())[1] / 2;
  Values low, high, result;
  for (Value value : from) {
    low.push_back(t.slice(value, 1, 0, half));
    high.push_back(t.slice(value, 1, half, half));
  }
  Value swap = isBefore(high, low);
  if (!isLast) {
    Type i32 = t.b.getI32Type();
    ArrayRef<int64_t> shape = shapeOf(swap);
    Value odd = t.apply<AndOp>(t.iota(i32, shape, 0), t.number(i32, 1, shape));
    Value descends = t.compare(ComparisonDirection::EQ, odd, t.number(i32, 1, shape));
    swap = t.apply<XorOp>(swap, descends);
  }
  for (auto [value, a, b] : llvm::zip_equal(from, low, high)) {
    Value pair[] = {t.select(swap, b, a), t.select(swap, a, b)};
    result.push_back(t.reshape(t.stack(pair, 2), shapeOf(value)));
  }
  return result;
}

void Expander::sortBlocks(int64_t stage) {
  bool isLast = int64_t(1) << stage == padded;
  values = reshape(values, blocksOf(int64_t(1) << stage));
  if (stage == 1)
    values = step(values, isLast);
  else
    values = t.repeat(stage, values, [&](Value, ValueRange now) { return step(now, isLast); });
}

void Expander::sort() {
  int64_t stages = llvm::Log2_64_Ceil(size);
  padded = int64_t(1) << stages;
  flatten();
  for (int64_t stage = 1; stage <= stages; ++stage)
    sortBlocks(stage);
  unflatten();
}

struct ExpandSort : impl::ExpandSortBase<ExpandSort> {
  void rewrite() override {
    if (failed(expandEach<SortOp>(getOperation(), [](SortOp op) { Expander(op).run(); })))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
