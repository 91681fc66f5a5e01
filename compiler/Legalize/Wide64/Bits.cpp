// Bitwise operations, shifts and bit counts of 64-bit integers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Wide64/Elementwise.h"

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

namespace {

/// The shift amount; larger and negative ones become 64.
Value amountOf(Splitter &s, Expressions &e, Value amount) {
  Words by = s.wide(e, amount);
  if (e.isZero(by.high))
    return by.low;
  return e.select(e.isNonZero(by.high), e.number(64, by.low), by.low);
}

Words shiftRightArithmetic(Expressions &e, const Words &x, Value by) {
  auto arithmetic = [&](Value x, Value by) {
    return e.word(e.apply<ShiftRightArithmeticOp>(e.as(x, e.i32), e.as(by, e.i32)));
  };
  Value width = e.number(32, by);
  Value near = e.shiftRight(x, by).low;
  Value far = arithmetic(x.high, e.subtract(by, width));
  return {e.select(e.less(by, width), near, far), arithmetic(x.high, by)};
}

template <typename Op> LogicalResult shift(Splitter &s, Operation *op) {
  Value x = op->getOperand(0), amount = op->getOperand(1);
  bool isLeft = std::is_same_v<Op, ShiftLeftOp>;
  bool isArithmetic = std::is_same_v<Op, ShiftRightArithmeticOp>;
  // A 32-bit amount that is out of range for one width gives the same result for the other.
  Type common = s.commonNarrowElement(op);
  bool isNarrow = isLeft         ? s.narrowElement(amount) != nullptr
                  : isArithmetic ? common && !common.isUnsignedInteger()
                                 : common && s.ranges.isNonNegative(x);
  if (isNarrow && rewriteNarrow(s, op, /*isModular=*/isLeft))
    return success();
  Expressions e(op);
  Words words = s.wide(e, x);
  Value by = amountOf(s, e, amount);
  Words shifted = isLeft         ? e.shiftLeft(words, by)
                  : isArithmetic ? shiftRightArithmetic(e, words, by)
                                 : e.shiftRight(words, by);
  setResult(s, e, op, shifted);
  return success();
}

template <typename Op> Words eachWord(Expressions &e, ArrayRef<Words> x, bool) {
  return {e.apply<Op>(x[0].low, x[1].low), e.apply<Op>(x[0].high, x[1].high)};
}

Words complement(Expressions &e, ArrayRef<Words> x, bool) {
  return {e.invert(x[0].low), e.invert(x[0].high)};
}

Words populationCount(Expressions &e, ArrayRef<Words> x, bool) {
  auto count = [&](Value word) { return e.t.apply<PopulationCountOp>(word); };
  return {e.add(count(x[0].low), count(x[0].high)), e.zero(x[0].low)};
}

Words leadingZeros(Expressions &e, ArrayRef<Words> x, bool) {
  auto count = [&](Value word) { return e.t.apply<ClzOp>(word); };
  Value low = e.add(count(x[0].low), e.number(32, x[0].low));
  return {e.select(e.isNonZero(x[0].high), count(x[0].high), low), e.zero(x[0].low)};
}

/// Counts refer to 64 bits, whatever the range of the operand.
template <auto function> LogicalResult count(Splitter &s, Operation *op) {
  Expressions e(op);
  setResult(s, e, op, function(e, {s.wide(e, op->getOperand(0))}, false));
  return success();
}

} // namespace

void addBits(RewriteTable &table) {
  table.add<AndOp>(elementwise<eachWord<AndOp>>);
  table.add<OrOp>(elementwise<eachWord<OrOp>>);
  table.add<XorOp>(elementwise<eachWord<XorOp>>);
  table.add<NotOp>(elementwise<complement>);
  table.add<ShiftLeftOp>(shift<ShiftLeftOp>);
  table.add<ShiftRightLogicalOp>(shift<ShiftRightLogicalOp>);
  table.add<ShiftRightArithmeticOp>(shift<ShiftRightArithmeticOp>);
  table.add<PopulationCountOp>(count<populationCount>);
  table.add<ClzOp>(count<leadingZeros>);
}

} // namespace systole::wide64
