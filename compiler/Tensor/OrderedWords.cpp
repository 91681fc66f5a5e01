// Elements as signed 32-bit integers in the same order.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/OrderedWords.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

bool hasOrderedWords(Type element) {
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 32;
}

static Type wordOf(Type element) {
  bool stays = element.isF32() || element.isUnsignedInteger(32);
  return stays ? element : IntegerType::get(element.getContext(), 32);
}

static Type halfWord(Type element) { return IntegerType::get(element.getContext(), 16); }

Value wordsOf(Tensors &t, Value elements) {
  Type element = typeOf(elements).getElementType();
  if (wordOf(element) == element)
    return elements;
  if (isa<FloatType>(element))
    elements = t.bitcast(elements, halfWord(element));
  return t.convert(elements, wordOf(element));
}

Value elementsOf(Tensors &t, Value words, Type element) {
  if (wordOf(element) == element)
    return words;
  if (element.isInteger(1))
    return t.compare(ComparisonDirection::NE, words, t.number(wordOf(element), 0, shapeOf(words)));
  if (isa<FloatType>(element))
    return t.bitcast(t.convert(words, halfWord(element)), element);
  return t.convert(words, element);
}

/// Negative floats ascend as their magnitude descends.
static Value flipMagnitude(Tensors &t, Value word, int64_t bits) {
  Type i32 = t.b.getI32Type();
  ArrayRef<int64_t> shape = shapeOf(word);
  Value sign = t.apply<ShiftRightArithmeticOp>(word, t.number(i32, 31, shape));
  Value magnitude = t.number(i32, (int64_t(1) << (bits - 1)) - 1, shape);
  return t.apply<XorOp>(word, t.apply<AndOp>(sign, magnitude));
}

/// The smallest signed integer of a type's width.
static Value offset(Tensors &t, Type element, ArrayRef<int64_t> shape) {
  return t.number(t.b.getI32Type(), -(int64_t(1) << (element.getIntOrFloatBitWidth() - 1)), shape);
}

Value orderedWords(Tensors &t, Value elements) {
  Type element = typeOf(elements).getElementType();
  Value words = t.bitcast(wordsOf(t, elements), t.b.getI32Type());
  if (isa<FloatType>(element))
    return flipMagnitude(t, words, element.getIntOrFloatBitWidth());
  if (element.isUnsignedInteger())
    return t.apply<AddOp>(words, offset(t, element, shapeOf(words)));
  return words;
}

Value fromOrderedWords(Tensors &t, Value words, Type element) {
  if (isa<FloatType>(element))
    words = flipMagnitude(t, words, element.getIntOrFloatBitWidth());
  else if (element.isUnsignedInteger())
    words = t.apply<SubtractOp>(words, offset(t, element, shapeOf(words)));
  return elementsOf(t, t.bitcast(words, wordOf(element)), element);
}

} // namespace systole::expansion
