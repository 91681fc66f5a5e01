// Expands top_k: a pass for each element that it takes, or a sort.
// See docs/decisions/sorting.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Chlo/Expansions.h"
#include "compiler/Tensor/OrderedWords.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

namespace {

using Direction = ComparisonDirection;
using Values = SmallVector<Value>;

/// Whether the elements are found one by one: not more of them than a sorting network has levels,
/// each of which takes at least as long as a pass, and of more elements than the smallest column
/// that fills the lanes has, since a pass over few waits for its copies.
bool takesPasses(Type element, int64_t size, int64_t count) {
  bool isLong = size > kernel::kLeastChunkRows * kLanes;
  return hasOrderedWords(element) &&
         (count == 1 || (isLong && count > 0 && count <= int64_t(llvm::Log2_64_Ceil(size))));
}

/// Finds one element after the other: the greatest, of equal ones the first, among those that come
/// behind the one before in this order.
class Passes {
public:
  Passes(Tensors &t, Value operand) : t(t), words(orderedWords(t, operand)) {
    shape = SmallVector<int64_t>(shapeOf(operand));
    last = shape.size() - 1;
    rows = SmallVector<int64_t>(ArrayRef(shape).drop_back());
    places = t.iota(i32(), shape, last);
  }

  /// Words and places of `count` elements.
  Values run(int64_t count) {
    Value word = t.number(i32(), INT32_MAX, rows), place = t.number(i32(), -1, rows);
    if (count == 1) {
      Values found = next(word, place, /*isFirst=*/true);
      for (Value &value : found)
        value = t.reshape(value, resultShape(1));
      return found;
    }
    Value none = t.number(i32(), 0, resultShape(count));
    Values carried = {word, place, none, none};
    carried = t.repeat(count, carried, [&](Value number, ValueRange now) {
      Values found = next(now[0], now[1], /*isFirst=*/false), updated;
      for (auto [value, results] : llvm::zip_equal(found, now.drop_front(2)))
        updated.push_back(put(results, value, number));
      llvm::append_range(found, updated);
      return found;
    });
    return {carried[2], carried[3]};
  }

private:
  Type i32() { return t.b.getI32Type(); }
  SmallVector<int64_t> resultShape(int64_t count) {
    SmallVector<int64_t> result(rows);
    result.push_back(count);
    return result;
  }
  Value spread(Value value) {
    return t.spread(value, shape, llvm::to_vector(llvm::seq<int64_t>(0, last)));
  }
  Value put(Value results, Value value, Value number) {
    Values starts(last, t.number(i32(), 0));
    starts.push_back(number);
    return DynamicUpdateSliceOp::create(t.b, t.loc, results.getType(), results,
                                        t.reshape(value, resultShape(1)), starts);
  }

  /// The word and the place of the first element behind those of the one before.
  Values next(Value word, Value place, bool isFirst) {
    Value candidates = words;
    if (!isFirst) {
      Value isBelow = t.compare(Direction::LT, words, spread(word));
      Value isEqual = t.compare(Direction::EQ, words, spread(word));
      Value isBehind = t.compare(Direction::GT, places, spread(place));
      isBehind = t.apply<OrOp>(isBelow, t.apply<AndOp>(isEqual, isBehind));
      candidates = t.select(isBehind, words, t.number(i32(), INT32_MIN, shape));
    }
    Value found = t.reduce<MaxOp>(candidates, t.number(i32(), INT32_MIN), {last});
    Value isFound = t.compare(Direction::EQ, words, spread(found));
    if (!isFirst) {
      // Behind the place of the one before only if it is equal.
      Value isSame = t.compare(Direction::EQ, found, word);
      Value behind = t.select(isSame, place, t.number(i32(), -1, rows));
      isFound = t.apply<AndOp>(isFound, t.compare(Direction::GT, places, spread(behind)));
    }
    Value at = t.select(isFound, places, t.number(i32(), INT32_MAX, shape));
    return {found, t.reduce<MinOp>(at, t.number(i32(), INT32_MAX), {last})};
  }

  Tensors &t;
  Value words, places;
  SmallVector<int64_t> shape, rows;
  int64_t last;
};

Values sortedFirst(Tensors &t, Value operand, int64_t count) {
  Type element = typeOf(operand).getElementType();
  int64_t last = typeOf(operand).getRank() - 1;
  Value inputs[] = {operand, t.iota(t.b.getI32Type(), shapeOf(operand), last)};
  ComparisonTypeAttr order;
  if (isa<FloatType>(element))
    order = ComparisonTypeAttr::get(element.getContext(), ComparisonType::TOTALORDER);
  Values sorted = t.sort(inputs, last, [&](ValueRange x, ValueRange y) -> Value {
    return CompareOp::create(t.b, t.loc, x[0], y[0], Direction::GT, order);
  });
  return llvm::map_to_vector(sorted, [&](Value array) { return t.slice(array, last, 0, count); });
}

} // namespace

SmallVector<Value> expandTopK(chlo::TopKOp op) {
  Tensors t(op);
  RankedTensorType type = typeOf(op.getOperand());
  auto count = static_cast<int64_t>(op.getK());
  if (!takesPasses(type.getElementType(), type.getShape().back(), count))
    return sortedFirst(t, op.getOperand(), count);
  Values found = Passes(t, op.getOperand()).run(count);
  found.front() = fromOrderedWords(t, found.front(), type.getElementType());
  return found;
}

} // namespace systole::expansion
