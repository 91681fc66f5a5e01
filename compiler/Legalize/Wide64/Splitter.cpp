// Splits 64-bit integers into 32-bit words: code shared by all groups of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Wide64/Splitter.h"

#include "compiler/Legalize/Wide64/Elementwise.h"

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

bool isWide(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<IntegerType>(tensor.getElementType()) &&
         tensor.getElementTypeBitWidth() == 64;
}

/// Whether the range of the only result is a single value.
static bool isKnown(const IntegerRanges &ranges, Operation &op) {
  return op.getNumResults() == 1 && isWide(op.getResult(0)) && !isa<ConstantOp>(op) &&
         op.getNumRegions() == 0 && ranges.of(op.getResult(0)).isSingleElement();
}

std::optional<LogicalResult> Splitter::rewrite(Operation *op) {
  static const RewriteTable table = [] {
    RewriteTable table;
    for (auto add : {addArithmetic, addBits, addDivision, addConversions, addCreation, addProducts})
      add(table);
    return table;
  }();
  if (isKnown(ranges, *op)) {
    Expressions e(op);
    uint64_t number = ranges.of(op->getResult(0)).getSingleElement()->getZExtValue();
    setResult(*this, e, op, e.wideNumber(number, op->getResult(0)));
    return success();
  }
  std::optional<LogicalResult> result = table.apply(*this, op);
  return result ? result : planes::sharedRewrites().apply(*this, op);
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

Type Splitter::narrowElement(Value value) const {
  MLIRContext *context = value.getContext();
  if (ranges.isSigned(value) && ranges.fitsInt32(value))
    return IntegerType::get(context, 32);
  if (ranges.fitsUInt32(value))
    return IntegerType::get(context, 32, IntegerType::Unsigned);
  return nullptr;
}

SmallVector<Type> Splitter::elementTypes(Value value) const {
  if (Type narrow = narrowElement(value))
    return {narrow};
  Type word = entryElement(typeOf(value));
  return {word, word};
}

Type Splitter::entryElement(RankedTensorType type) const {
  return IntegerType::get(type.getContext(), 32, IntegerType::Unsigned);
}

Words Splitter::get(Value value) const {
  SmallVector<Value> words = planesOf(value);
  return {words[0], words.size() == 2 ? words[1] : Value()};
}

void Splitter::set(Value value, const Words &is) {
  SmallVector<Value, 2> words = {is.low};
  if (is.high)
    words.push_back(is.high);
  setPlanes(value, words);
}

Type Splitter::commonNarrowElement(Operation *op) const {
  SmallVector<Value> values;
  for (Value value : op->getOperands())
    if (isWide(value))
      values.push_back(value);
  for (Value value : op->getResults())
    if (isWide(value))
      values.push_back(value);
  auto i32 = IntegerType::get(op->getContext(), 32);
  auto u32 = IntegerType::get(op->getContext(), 32, IntegerType::Unsigned);
  bool fitI32 = llvm::all_of(values, [&](Value value) { return ranges.fitsInt32(value); });
  bool fitU32 = llvm::all_of(values, [&](Value value) { return ranges.fitsUInt32(value); });
  if (fitI32 && fitU32)
    return ranges.isSigned(values.front()) ? i32 : u32;
  return fitI32 ? i32 : fitU32 ? u32 : Type();
}

Words Splitter::wide(Expressions &e, Value value) const {
  Words is = get(value);
  if (is.high)
    return is;
  bool isPositive =
      ranges.isNonNegative(value) || typeOf(is.low).getElementType().isUnsignedInteger();
  return {e.word(is.low), isPositive ? e.zero(is.low) : e.signs(is.low)};
}

Value Splitter::low(Expressions &e, Value value, Type element) const {
  return e.as(get(value).low, element);
}

Value Splitter::position(Operation *op, Value value) {
  if (!isWide(value))
    return value;
  Expressions e(op);
  Words is = get(value);
  Value most = e.t.number(e.i32, INT32_MAX, shapeOf(value));
  if (!is.high) {
    if (ranges.fitsInt32(value))
      return e.as(is.low, e.i32);
    return e.as(e.t.apply<MinOp>(is.low, e.word(most)), e.i32);
  }
  if (!ranges.isSigned(value)) {
    Value low = e.as(e.t.apply<MinOp>(is.low, e.word(most)), e.i32);
    return e.t.select(e.isNonZero(is.high), most, low);
  }
  Value nearest = e.as(e.bitXor(e.signs(is.high), e.word(most)), e.i32);
  Value fits = e.equal(is.high, e.signs(is.low));
  return e.t.select(fits, e.as(is.low, e.i32), nearest);
}

SmallVector<Value> Splitter::planesLike(Operation *op, Value value, Value like) {
  Expressions e(op);
  if (Type narrow = narrowElement(like))
    return {low(e, value, narrow)};
  return entryPlanes(op, value);
}

SmallVector<Value> Splitter::entryPlanes(Operation *op, Value value) {
  Expressions e(op);
  Words is = wide(e, value);
  return {is.low, is.high};
}

} // namespace systole::wide64
