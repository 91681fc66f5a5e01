// The comparator of a sort as a total order of arrays of 32-bit elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/SortOrder.h"

#include "compiler/Tensor/Counterparts.h"
#include "compiler/Tensor/OrderedWords.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

namespace {

/// Bits of a number beside a key in one word.
constexpr int64_t kNumberBits = 16;

} // namespace

SortOrder::SortOrder(SortOp op, int64_t size, int64_t padded) : op(op), size(size), padded(padded) {
  findKey();
  // An operand that counts may be the number of each element.
  std::optional<unsigned> counting;
  for (auto [input, value] : llvm::enumerate(op.getInputs())) {
    if (key && (op.getResult(input).use_empty() || key->operand == unsigned(input)))
      continue;
    auto iota = value.getDefiningOp<IotaOp>();
    bool counts = key && iota && iota.getIotaDimension() == op.getSortedDimension() &&
                  typeOf(value).getElementType().isSignlessInteger(32);
    if (counts && !counting)
      counting = input;
    else
      carried.push_back(input);
  }
  // Equal keys that nothing else tells apart are one.
  bool isDistinct = !key || counting || !carried.empty();
  isNumbered = isDistinct && (op.getIsStable() || padded != size);
  if (isNumbered)
    number = counting;
  else if (counting)
    carried.push_back(*counting);
  isCombined =
      key && isNumbered && key->bits <= 32 - kNumberBits && padded <= int64_t(1) << kNumberBits;
}

void SortOrder::findKey() {
  auto compare =
      op.getComparator().front().getTerminator()->getOperand(0).getDefiningOp<CompareOp>();
  Counterparts seconds(op.getComparator().front(), [](unsigned argument) {
    return argument % 2 == 0 ? std::optional(argument + 1) : std::nullopt;
  });
  if (!compare || !seconds.contain(compare.getLhs(), compare.getRhs()))
    return;
  Value value = compare.getLhs();
  Type element = typeOf(value).getElementType();
  bool isTotal = isa<FloatType>(element) ? compare.getCompareType() == ComparisonType::TOTALORDER
                                         : isa<IntegerType>(element);
  bool isStrict = compare.getComparisonDirection() == ComparisonDirection::LT ||
                  compare.getComparisonDirection() == ComparisonDirection::GT;
  if (!isTotal || !isStrict || !hasOrderedWords(element))
    return;
  key = Key{value, compare, element.getIntOrFloatBitWidth(), std::nullopt};
  if (auto argument = dyn_cast<BlockArgument>(value))
    key->operand = argument.getArgNumber() / 2;
}

bool SortOrder::isAscending() const {
  return CompareOp(key->compare).getComparisonDirection() == ComparisonDirection::LT;
}

Value SortOrder::keyOf(Tensors &t) const {
  // The comparator, to return that value of the first elements.
  Region part;
  IRMapping mapping;
  SortOp(op).getComparator().cloneInto(&part, mapping);
  part.front().getTerminator()->setOperand(0, mapping.lookup(key->inBody));
  SmallVector<Value> args;
  for (Value input : SortOp(op).getInputs())
    args.append({input, input});
  Value value = applyBody(t, part, args).front();

  value = orderedWords(t, value);
  return isAscending() ? value : t.apply<NotOp>(value);
}

Value SortOrder::elementOf(Tensors &t, Value value) const {
  Type element = typeOf(key->inBody).getElementType();
  return fromOrderedWords(t, isAscending() ? value : t.apply<NotOp>(value), element);
}

SmallVector<Value> SortOrder::arrays(Tensors &t) {
  SmallVector<Value> arrays;
  if (key)
    arrays.push_back(keyOf(t));
  for (unsigned input : carried)
    arrays.push_back(wordsOf(t, op.getInputs()[input]));
  return arrays;
}

int64_t SortOrder::paddingOf(size_t array) const {
  if (!key || array != 0)
    return 0;
  return isCombined ? (int64_t(1) << (kNumberBits - 1)) - 1 : INT32_MAX;
}

int64_t SortOrder::count() const {
  return (key ? 1 : 0) + int64_t(carried.size()) + (isNumbered && !isCombined);
}

SmallVector<Value> SortOrder::numbered(Tensors &t, ArrayRef<Value> arrays, Value numbers) const {
  SmallVector<Value> all(arrays);
  if (isCombined) {
    Value shift = t.number(t.b.getI32Type(), kNumberBits, shapeOf(numbers));
    all.front() = t.apply<OrOp>(t.apply<ShiftLeftOp>(all.front(), shift), numbers);
  } else if (isNumbered) {
    all.push_back(numbers);
  }
  return all;
}

Value SortOrder::compare(Tensors &t, ValueRange first, ValueRange second) {
  SmallVector<Value> args;
  for (auto [a, b, input] : llvm::zip(first, second, op.getInputs()))
    for (Value value : {a, b})
      args.push_back(elementsOf(t, value, typeOf(input).getElementType()));
  return applyBody(t, op.getComparator(), args).front();
}

Value SortOrder::isBefore(Tensors &t, ValueRange first, ValueRange second) {
  using Direction = ComparisonDirection;
  Value follows =
      isNumbered && !isCombined ? t.compare(Direction::LT, first.back(), second.back()) : Value();
  if (key) {
    Value before = t.compare(Direction::LT, first.front(), second.front());
    if (!follows)
      return before;
    Value equal = t.compare(Direction::EQ, first.front(), second.front());
    return t.apply<OrOp>(before, t.apply<AndOp>(equal, follows));
  }
  Value before = compare(t, first, second);
  if (!isNumbered)
    return before;
  Value after = compare(t, second, first);
  before = t.apply<OrOp>(before, t.apply<AndOp>(t.apply<NotOp>(after), follows));
  if (padded == size)
    return before;
  // Padding comes last, whatever the comparator returns for it.
  Value last = t.apply<MaxOp>(first.back(), second.back());
  Value isPadding = t.compare(Direction::GE, last, t.number(t.b.getI32Type(), size, shapeOf(last)));
  return t.select(isPadding, follows, before);
}

SmallVector<Value> SortOrder::results(Tensors &t, ArrayRef<Value> sorted) const {
  SmallVector<Value> results(SortOp(op).getNumResults());
  ArrayRef<Value> rest = sorted.drop_front(key ? 1 : 0);
  for (auto [place, input] : llvm::enumerate(carried))
    results[input] =
        elementsOf(t, rest[place], typeOf(SortOp(op).getResult(input)).getElementType());
  Value keys = sorted.front();
  if (isCombined) {
    auto splat = [&](int64_t value) { return t.number(t.b.getI32Type(), value, shapeOf(keys)); };
    if (number)
      results[*number] = t.apply<AndOp>(keys, splat((1 << kNumberBits) - 1));
    keys = t.apply<ShiftRightArithmeticOp>(keys, splat(kNumberBits));
  } else if (number) {
    results[*number] = sorted.back();
  }
  if (key && key->operand)
    results[*key->operand] = elementOf(t, keys);
  return results;
}

} // namespace systole::expansion
