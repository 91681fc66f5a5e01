// Rewrites conversions from and to f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Float64/Splitter.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;
using namespace expansion;

namespace {

bool isUnsigned(Type element) { return element.isUnsignedInteger() || element.isInteger(1); }
Type unsignedOf(MLIRContext *context, unsigned width) {
  return IntegerType::get(context, width, IntegerType::Unsigned);
}

/// The words of 64-bit integers, and integers of words. The pass that splits these recognizes both.
Words wordsOf(Doubles &d, Value x) {
  Value bits = d.t.convert(x, unsignedOf(x.getContext(), 64));
  Value high = d.t.apply<ShiftRightLogicalOp>(
      bits, d.t.number(typeOf(bits).getElementType(), 32, shapeOf(bits)));
  return {d.t.convert(bits, d.u32), d.t.convert(high, d.u32)};
}
Value joined(Doubles &d, const Words &x, Type element) {
  Type wide = unsignedOf(element.getContext(), 64);
  Value high =
      d.t.apply<ShiftLeftOp>(d.t.convert(x.high, wide), d.t.number(wide, 32, shapeOf(x.high)));
  return d.t.convert(d.t.apply<OrOp>(high, d.t.convert(x.low, wide)), element);
}

/// An integer of at most 32 bits, saturated.
Value toNarrow(Doubles &d, const Words &x, IntegerType element) {
  bool hasSign = !isUnsigned(element);
  Type wide = hasSign ? d.i32 : d.u32;
  Value word = d.as(d.toWord(x, hasSign), wide);
  unsigned width = element.getWidth();
  if (width == 32)
    return word;
  ArrayRef<int64_t> shape = shapeOf(word);
  int64_t most = (int64_t(1) << (hasSign ? width - 1 : width)) - 1;
  word = d.t.apply<MinOp>(word, d.t.number(wide, most, shape));
  if (hasSign)
    word = d.t.apply<MaxOp>(word, d.t.number(wide, -most - 1, shape));
  return d.t.convert(word, element);
}

Value toElement(Doubles &d, const Words &x, Type element) {
  if (element.isInteger(1))
    return d.invert(d.isZeroNumber(x));
  if (element.isInteger(64))
    return joined(d, d.toInteger(x, !isUnsigned(element)), element);
  if (auto integer = dyn_cast<IntegerType>(element))
    return toNarrow(d, x, integer);
  auto type = cast<FloatType>(element);
  unsigned width = type.getWidth();
  Value bits = d.toFloat(x, width, type.getFPMantissaWidth() - 1);
  return d.t.bitcast(d.t.convert(bits, unsignedOf(element.getContext(), width)), element);
}

Words fromElement(Doubles &d, Value x) {
  Type element = typeOf(x).getElementType();
  bool hasSign = !isUnsigned(element);
  if (element.isInteger(64))
    return d.fromInteger(wordsOf(d, x), hasSign);
  if (isa<IntegerType>(element))
    return d.fromWord(d.word(d.t.convert(x, hasSign ? d.i32 : d.u32)), hasSign);
  if (element.isBF16()) {
    Value bits = d.t.convert(d.t.bitcast(x, unsignedOf(x.getContext(), 16)), d.u32);
    return d.fromFloat(d.shiftLeft(bits, d.number(16, bits)));
  }
  return d.fromFloat(d.word(d.t.convert(x, d.t.b.getF32Type())));
}

LogicalResult convert(Splitter &s, Operation *op) {
  Value from = op->getOperand(0), result = op->getResult(0);
  Doubles d(op);
  if (isDouble(from) && isDouble(result))
    s.set(result, s.get(from));
  else if (isDouble(result))
    s.set(result, fromElement(d, from));
  else
    result.replaceAllUsesWith(toElement(d, s.get(from), typeOf(result).getElementType()));
  return success();
}

/// Other widths than 64 are expanded to bitcasts of integers.
LogicalResult bitcast(Splitter &s, Operation *op) {
  Value from = op->getOperand(0), result = op->getResult(0);
  Doubles d(op);
  Type in = typeOf(from).getElementType(), out = typeOf(result).getElementType();
  if (isDouble(from) && isDouble(result))
    s.set(result, s.get(from));
  else if (isDouble(result) && in.isInteger(64))
    s.set(result, wordsOf(d, from));
  else if (isDouble(from) && out.isInteger(64))
    result.replaceAllUsesWith(joined(d, s.get(from), out));
  else
    return emitUnsupported(op, " for f64");
  return success();
}

} // namespace

void addConversions(RewriteTable &table) {
  table.add<ConvertOp>(convert);
  table.add<BitcastConvertOp>(bitcast);
}

} // namespace systole::float64
