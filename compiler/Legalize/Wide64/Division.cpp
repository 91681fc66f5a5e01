// Division, remainder and power of 64-bit integers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Wide64/Elementwise.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

namespace {

/// Rounds towards zero. The magnitude of the minimum is correct as an unsigned integer.
Words divide(Expressions &e, ArrayRef<Words> x, bool isSigned) {
  Words rest;
  if (!isSigned)
    return e.divide(x[0], x[1], rest);
  Value isMinus = e.isNegative(x[0].high), byMinus = e.isNegative(x[1].high);
  Words quotient = e.divide(e.negateIf(isMinus, x[0]), e.negateIf(byMinus, x[1]), rest);
  Words result = e.negateIf(e.apply<XorOp>(isMinus, byMinus), quotient);
  return e.select(e.isZero(x[1]), e.wideNumber(~uint64_t(0), x[0].low), result);
}

Words remainder(Expressions &e, ArrayRef<Words> x, bool isSigned) {
  Words rest;
  if (!isSigned) {
    e.divide(x[0], x[1], rest);
    return rest;
  }
  Value isMinus = e.isNegative(x[0].high);
  e.divide(e.negateIf(isMinus, x[0]), e.negateIf(e.isNegative(x[1].high), x[1]), rest);
  return e.negateIf(isMinus, rest);
}

/// The power with a negative exponent: 0 unless the base is 1 or -1.
Words powerBelowOne(Expressions &e, const Words &x, Value isOdd) {
  Words one = e.wideNumber(1, x.low), minus = e.wideNumber(~uint64_t(0), x.low);
  Words ofMinus = e.select(isOdd, minus, one);
  Words other = e.select(e.equal(x, one), one, e.wideNumber(0, x.low));
  return e.select(e.equal(x, minus), ofMinus, other);
}

/// Squares repeatedly, in a loop over the bits of the exponents.
LogicalResult power(Splitter &s, Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (!isa<func::FuncOp, ModuleOp, WhileOp, IfOp, CaseOp>(parent))
      return emitUnsupported(op, " for 64-bit integers in the body of '" +
                                     parent->getName().getStringRef() + "'");
  Expressions e(op);
  Value exponent = op->getOperand(1);
  Words x = s.wide(e, op->getOperand(0)), n = s.wide(e, exponent);
  bool isNegatable = !s.ranges.isNonNegative(exponent);
  int64_t bits = isNegatable ? 63 : s.ranges.of(exponent).getUnsignedMax().getActiveBits();
  Words one = e.wideNumber(1, x.low);
  SmallVector<Value> start = {one.low, one.high, x.low, x.high, n.low, n.high};
  SmallVector<Value> end = e.t.repeat(bits, start, [&](Value, ValueRange now) {
    Words result = {now[0], now[1]}, base = {now[2], now[3]}, left = {now[4], now[5]};
    Value unit = e.number(1, left.low);
    Value isOdd = e.isNonZero(e.bitAnd(left.low, unit));
    result = e.select(isOdd, e.multiply(result, base), result);
    base = e.multiply(base, base);
    left = e.shiftRight(left, unit);
    return SmallVector<Value>{result.low, result.high, base.low, base.high, left.low, left.high};
  });
  Words result = {end[0], end[1]};
  if (isNegatable) {
    Value isOdd = e.isNonZero(e.bitAnd(n.low, e.number(1, n.low)));
    result = e.select(e.isNegative(n.high), powerBelowOne(e, x, isOdd), result);
  }
  setResult(s, e, op, result);
  return success();
}

} // namespace

void addDivision(RewriteTable &table) {
  table.add<DivOp>(elementwise<divide, /*isModular=*/false>);
  table.add<RemOp>(elementwise<remainder, /*isModular=*/false>);
  table.add<PowOp>(power);
}

} // namespace systole::wide64
