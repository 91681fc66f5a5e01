// Conversions between 64-bit integers and other element types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Wide64/Elementwise.h"

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

namespace {

/// The value of `element`, of at most 32 bits, that is nearest to an unsigned integer. The
/// highest 24 bits, with a sticky last bit for the lower ones, are an exact f32 and round in the
/// same way.
Value toReal(Expressions &e, const Words &x, Type element) {
  Value width = e.number(32, x.low);
  Value by = e.subtract(width, e.t.apply<ClzOp>(x.high));
  Value lost = e.shiftLeft(x.low, e.subtract(width, by));
  Value word = e.bitOr(e.shiftRight(x, by).low, e.bit(e.isNonZero(lost)));
  if (!element.isF32()) {
    // The f32 is rounded again, so it must not have been rounded before.
    Value mask = e.number(0xff, word);
    Value cut = e.bit(e.isNonZero(e.bitAnd(word, mask)));
    Value isLarge = e.isNonZero(e.shiftRight(word, e.number(24, word)));
    Value odd = e.bitOr(e.bitAnd(word, e.invert(mask)), e.shiftLeft(cut, e.number(8, word)));
    word = e.select(isLarge, odd, word);
  }
  Type f32 = e.t.b.getF32Type();
  Value exponent = e.shiftLeft(e.add(by, e.number(127, by)), e.number(23, by));
  Value real = e.apply<MulOp>(e.t.convert(word, f32), e.as(exponent, f32));
  return e.t.convert(real, element);
}

LogicalResult toFloat(Splitter &s, ConvertOp op) {
  Value from = op.getOperand(), result;
  Type element = typeOf(op).getElementType();
  Expressions e(op);
  if (Type narrow = s.narrowElement(from)) {
    result = e.t.convert(s.low(e, from, narrow), element);
  } else if (s.ranges.isSigned(from)) {
    Words x = s.wide(e, from);
    Value isMinus = e.isNegative(x.high);
    Value magnitude = toReal(e, e.negateIf(isMinus, x), element);
    result = e.t.select(isMinus, e.t.apply<NegOp>(magnitude), magnitude);
  } else {
    result = toReal(e, s.wide(e, from), element);
  }
  op.replaceAllUsesWith(result);
  return success();
}

/// Saturates values that do not fit; a NaN becomes 0.
Words fromFloat(Expressions &e, Value x, bool isSigned) {
  x = e.t.convert(x, e.t.b.getF32Type());
  using Direction = ComparisonDirection;
  auto atLeast = [&](double bound) { return e.t.compare(Direction::GE, x, e.real(bound, x)); };
  Words magnitude = e.fromReal(e.t.apply<AbsOp>(x));
  Value isMinus = e.t.compare(Direction::LT, x, e.real(0, x));
  Words none = e.wideNumber(0, magnitude.low), result;
  constexpr double two63 = 9223372036854775808.0;
  if (isSigned) {
    result = e.negateIf(isMinus, magnitude);
    result = e.select(atLeast(two63), e.wideNumber(INT64_MAX, none.low), result);
    Value isBelow = e.t.compare(Direction::LE, x, e.real(-two63, x));
    result = e.select(isBelow, e.wideNumber(uint64_t(1) << 63, none.low), result);
  } else {
    result = e.select(isMinus, none, magnitude);
    result = e.select(atLeast(2 * two63), e.wideNumber(~uint64_t(0), none.low), result);
  }
  return e.select(e.t.compare(Direction::NE, x, x), none, result);
}

LogicalResult fromInteger(Splitter &s, ConvertOp op) {
  Value from = op.getOperand(), result = op.getResult();
  Expressions e(op);
  if (isWide(from)) {
    if (Type narrow = s.narrowElement(result))
      s.set(result, {s.low(e, from, narrow), nullptr});
    else
      s.set(result, s.wide(e, from));
    return success();
  }
  Type wordType = s.ranges.isSigned(from) ? e.i32 : e.u32;
  Value word = e.t.convert(from, wordType);
  if (Type narrow = s.narrowElement(result))
    s.set(result, {e.as(word, narrow), nullptr});
  else
    s.set(result, {e.word(word),
                   s.ranges.isNonNegative(from) ? e.zero(e.word(word)) : e.signs(e.word(word))});
  return success();
}

LogicalResult convert(Splitter &s, Operation *op) {
  auto conversion = cast<ConvertOp>(op);
  Value from = conversion.getOperand();
  Type in = typeOf(from).getElementType(), out = typeOf(conversion).getElementType();
  Expressions e(op);
  auto isKnownFloat = [](Type type) { return type.isF32() || type.isBF16() || type.isF16(); };
  if (isWide(conversion.getResult()) && isa<IntegerType>(in))
    return fromInteger(s, conversion);
  if (isWide(conversion.getResult()) && isKnownFloat(in)) {
    setResult(s, e, op, fromFloat(e, from, s.ranges.isSigned(conversion)));
    return success();
  }
  if (isKnownFloat(out))
    return toFloat(s, conversion);
  if (!isa<IntegerType>(out))
    return emitUnsupported(op, " for 64-bit integers");
  Value result;
  if (out.isInteger(1)) {
    Words x = s.get(from);
    Value word = x.high ? e.bitOr(x.low, x.high) : e.word(x.low);
    result = e.isNonZero(word);
  } else {
    result = e.t.convert(s.low(e, from, out.isUnsignedInteger() ? e.u32 : e.i32), out);
  }
  conversion.replaceAllUsesWith(result);
  return success();
}

/// Narrower elements are along a new last dimension, the lowest first.
LogicalResult bitcast(Splitter &s, Operation *op) {
  Value from = op->getOperand(0), result = op->getResult(0);
  Expressions e(op);
  if (isWide(from) && isWide(result)) {
    setResult(s, e, op, s.wide(e, from));
    return success();
  }
  Type in = typeOf(from).getElementType(), out = typeOf(result).getElementType();
  if (!in.isIntOrFloat() || !out.isIntOrFloat() || in.getIntOrFloatBitWidth() > 64 ||
      (isWide(from) ? out : in).getIntOrFloatBitWidth() == 64)
    return emitUnsupported(op, " for 64-bit integers");
  auto reinterpret = [&](Value value, Type element, ArrayRef<int64_t> shape) -> Value {
    auto type = RankedTensorType::get(shape, element);
    return value.getType() == type ? value : BitcastConvertOp::create(e.t.b, e.t.loc, type, value);
  };
  if (isWide(from)) {
    Words x = s.wide(e, from);
    SmallVector<int64_t> shape(shapeOf(from));
    int64_t parts = 32 / out.getIntOrFloatBitWidth();
    if (parts > 1)
      shape.push_back(parts);
    SmallVector<Value> words;
    for (Value word : {x.low, x.high})
      words.push_back(reinterpret(word, out, shape));
    int64_t last = shapeOf(from).size();
    result.replaceAllUsesWith(parts == 1 ? e.t.stack(words, last) : e.t.concatenate(words, last));
    return success();
  }
  int64_t last = shapeOf(result).size(), parts = 32 / in.getIntOrFloatBitWidth();
  auto part = [&](int64_t first) {
    Value piece = e.t.slice(from, last, first, parts);
    if (parts == 1)
      piece = e.t.reshape(piece, shapeOf(result));
    return reinterpret(piece, e.u32, shapeOf(result));
  };
  setResult(s, e, op, {part(0), part(parts)});
  return success();
}

} // namespace

void addConversions(RewriteTable &table) {
  table.add<ConvertOp>(convert);
  table.add<BitcastConvertOp>(bitcast);
}

} // namespace systole::wide64
