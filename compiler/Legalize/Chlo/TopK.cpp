// Expands top_k: a maximum and its place, or the first elements of a sort.
// See docs/decisions/sorting.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Chlo/Expansions.h"
#include "compiler/Tensor/OrderedWords.h"
#include "compiler/Tensor/Tensors.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

namespace {

using Values = SmallVector<Value>;

/// The greatest element, and its first place.
Values greatest(Tensors &t, Value operand) {
  Type i32 = t.b.getI32Type();
  SmallVector<int64_t> shape(shapeOf(operand)), result = shape;
  const int64_t last = shape.size() - 1;
  result[last] = 1;
  Value words = orderedWords(t, operand), places = t.iota(i32, shape, last);
  Value found = t.reduce<MaxOp>(words, t.number(i32, INT32_MIN), {last});
  Value spread = t.spread(found, shape, llvm::to_vector(llvm::seq<int64_t>(0, last)));
  Value at = t.select(t.compare(ComparisonDirection::EQ, words, spread), places,
                      t.number(i32, INT32_MAX, shape));
  Value place = t.reduce<MinOp>(at, t.number(i32, INT32_MAX), {last});
  found = fromOrderedWords(t, t.reshape(found, result), typeOf(operand).getElementType());
  return {found, t.reshape(place, result)};
}

Values sortedFirst(Tensors &t, Value operand, int64_t count) {
  Type element = typeOf(operand).getElementType();
  int64_t last = typeOf(operand).getRank() - 1;
  Value inputs[] = {operand, t.iota(t.b.getI32Type(), shapeOf(operand), last)};
  ComparisonTypeAttr order;
  if (isa<FloatType>(element))
    order = ComparisonTypeAttr::get(element.getContext(), ComparisonType::TOTALORDER);
  Values sorted = t.sort(inputs, last, [&](ValueRange x, ValueRange y) -> Value {
    return CompareOp::create(t.b, t.loc, x[0], y[0], ComparisonDirection::GT, order);
  });
  return llvm::map_to_vector(sorted, [&](Value array) { return t.slice(array, last, 0, count); });
}

} // namespace

SmallVector<Value> expandTopK(chlo::TopKOp op) {
  Tensors t(op);
  bool isOne = op.getK() == 1 && hasOrderedWords(typeOf(op.getOperand()).getElementType());
  return isOne ? greatest(t, op.getOperand())
               : sortedFirst(t, op.getOperand(), static_cast<int64_t>(op.getK()));
}

} // namespace systole::expansion
