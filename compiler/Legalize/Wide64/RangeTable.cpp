// Transfer functions of the integer range analysis.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Wide64/RangeTable.h"

#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace systole::wide64 {

namespace {

using namespace stablehlo;
using llvm::APInt;
using Range = llvm::ConstantRange;

/// An operation and the ranges of its operands.
struct Query {
  Operation *op;
  const IntegerRanges &ranges;

  Type element(Value value) const {
    return cast<RankedTensorType>(value.getType()).getElementType();
  }
  unsigned width() const { return element(op->getResult(0)).getIntOrFloatBitWidth(); }
  bool isSigned() const { return ranges.isSigned(op->getResult(0)); }
  Range operand(unsigned i) const { return ranges.of(op->getOperand(i)); }
  Range number(int64_t value) const {
    return Range(APInt(width(), value, /*isSigned=*/true, /*implicitTrunc=*/true));
  }
  Range interval(int64_t least, int64_t most) const {
    return Range::getNonEmpty(APInt(width(), least, true, true),
                              APInt(width(), most + 1, true, true));
  }
};

using Rule = std::optional<Range> (*)(const Query &);

std::optional<Range> same(const Query &q) { return q.operand(0); }

template <typename Function> std::optional<Range> ofBoth(const Query &q, Function function) {
  return function(q.operand(0), q.operand(1));
}

std::optional<Range> constant(const Query &q) {
  auto elements = dyn_cast<DenseIntElementsAttr>(cast<ConstantOp>(q.op).getValue());
  if (!elements || elements.empty())
    return std::nullopt;
  if (elements.isSplat())
    return Range(elements.getSplatValue<APInt>());
  APInt least = *elements.begin(), most = least;
  for (const APInt &value : elements) {
    bool isLess = q.isSigned() ? value.slt(least) : value.ult(least);
    bool isMore = q.isSigned() ? value.sgt(most) : value.ugt(most);
    least = isLess ? value : least;
    most = isMore ? value : most;
  }
  return Range::getNonEmpty(least, most + 1);
}

std::optional<Range> iota(const Query &q) {
  auto iota = cast<IotaOp>(q.op);
  int64_t size = cast<RankedTensorType>(iota.getType()).getDimSize(iota.getIotaDimension());
  unsigned bits = q.isSigned() ? q.width() - 1 : q.width();
  if (bits < 63 && size > int64_t(1) << bits)
    return std::nullopt;
  return q.interval(0, std::max<int64_t>(size, 1) - 1);
}

std::optional<Range> unionOfAll(const Query &q) {
  Range range = q.operand(0);
  for (unsigned i = 1; i < q.op->getNumOperands(); ++i)
    range = range.unionWith(q.operand(i));
  return range;
}

std::optional<Range> select(const Query &q) { return q.operand(1).unionWith(q.operand(2)); }
std::optional<Range> firstTwo(const Query &q) { return q.operand(0).unionWith(q.operand(1)); }

std::optional<Range> divide(const Query &q) {
  return ofBoth(q, [&](const Range &x, const Range &y) {
    Range quotient = q.isSigned() ? x.sdiv(y) : x.udiv(y);
    // The quotient by 0 is all ones, and that of the minimum by -1 is the minimum.
    if (y.contains(APInt::getZero(q.width())))
      quotient = quotient.unionWith(q.number(-1));
    APInt least = APInt::getSignedMinValue(q.width());
    if (q.isSigned() && x.contains(least) && y.contains(APInt::getAllOnes(q.width())))
      quotient = quotient.unionWith(Range(least));
    return quotient;
  });
}

std::optional<Range> remainder(const Query &q) {
  return ofBoth(q, [&](const Range &x, const Range &y) {
    Range rest = q.isSigned() ? x.srem(y) : x.urem(y);
    return y.contains(APInt::getZero(q.width())) ? rest.unionWith(x) : rest;
  });
}

std::optional<Range> minimum(const Query &q) {
  return ofBoth(
      q, [&](const Range &x, const Range &y) { return q.isSigned() ? x.smin(y) : x.umin(y); });
}
std::optional<Range> maximum(const Query &q) {
  return ofBoth(
      q, [&](const Range &x, const Range &y) { return q.isSigned() ? x.smax(y) : x.umax(y); });
}
std::optional<Range> clamp(const Query &q) {
  Range low = q.operand(0), x = q.operand(1), high = q.operand(2);
  return q.isSigned() ? x.smax(low).smin(high) : x.umax(low).umin(high);
}

std::optional<Range> absolute(const Query &q) {
  return q.isSigned() ? q.operand(0).abs() : q.operand(0);
}
std::optional<Range> sign(const Query &q) {
  return q.isSigned() ? q.interval(-1, 1) : q.interval(0, 1);
}
std::optional<Range> countBits(const Query &q) { return q.interval(0, q.width()); }

/// Shifts by the width or more, whose results are zeros or sign bits, are not analyzed.
bool staysInside(const Query &q) { return q.operand(1).getUnsignedMax().ult(q.width()); }

std::optional<Range> shiftLeft(const Query &q) {
  return staysInside(q) ? std::optional(q.operand(0).shl(q.operand(1))) : std::nullopt;
}
std::optional<Range> shiftRightLogical(const Query &q) {
  if (staysInside(q))
    return q.operand(0).lshr(q.operand(1));
  return Range::getNonEmpty(APInt::getZero(q.width()), q.operand(0).getUnsignedMax() + 1);
}
std::optional<Range> shiftRightArithmetic(const Query &q) {
  if (staysInside(q))
    return q.operand(0).ashr(q.operand(1));
  return q.operand(0).unionWith(q.number(0)).unionWith(q.number(-1));
}

std::optional<Range> convert(const Query &q) {
  Value from = q.op->getOperand(0);
  auto integer = dyn_cast<IntegerType>(q.element(from));
  if (!integer || q.width() == 1)
    return std::nullopt;
  Range range = q.ranges.of(from);
  if (integer.getWidth() > q.width())
    return range.truncate(q.width());
  if (integer.getWidth() == q.width())
    return range;
  return q.ranges.isSigned(from) ? range.signExtend(q.width()) : range.zeroExtend(q.width());
}

std::optional<Range> bitcast(const Query &q) {
  auto integer = dyn_cast<IntegerType>(q.element(q.op->getOperand(0)));
  if (!integer || integer.getWidth() != q.width())
    return std::nullopt;
  return q.operand(0);
}

llvm::StringMap<Rule> makeTable() {
  llvm::StringMap<Rule> table;
  auto add = [&]<typename... Ops>(Rule rule) { ((table[Ops::getOperationName()] = rule), ...); };
  add.operator()<ConstantOp>(constant);
  add.operator()<IotaOp>(iota);
  add.operator()<BroadcastInDimOp, ReshapeOp, TransposeOp, SliceOp, ReverseOp, DynamicSliceOp,
                 GatherOp>(same);
  add.operator()<ConcatenateOp>(unionOfAll);
  add.operator()<PadOp, DynamicUpdateSliceOp>(firstTwo);
  add.operator()<SelectOp>(select);
  add.operator()<AddOp>([](const Query &q) -> std::optional<Range> {
    return ofBoth(q, [](const Range &x, const Range &y) { return x.add(y); });
  });
  add.operator()<SubtractOp>([](const Query &q) -> std::optional<Range> {
    return ofBoth(q, [](const Range &x, const Range &y) { return x.sub(y); });
  });
  add.operator()<MulOp>([](const Query &q) -> std::optional<Range> {
    return ofBoth(q, [](const Range &x, const Range &y) { return x.multiply(y); });
  });
  add.operator()<AndOp>([](const Query &q) -> std::optional<Range> {
    return ofBoth(q, [](const Range &x, const Range &y) { return x.binaryAnd(y); });
  });
  add.operator()<OrOp>([](const Query &q) -> std::optional<Range> {
    return ofBoth(q, [](const Range &x, const Range &y) { return x.binaryOr(y); });
  });
  add.operator()<XorOp>([](const Query &q) -> std::optional<Range> {
    return ofBoth(q, [](const Range &x, const Range &y) { return x.binaryXor(y); });
  });
  add.operator()<NotOp>(
      [](const Query &q) -> std::optional<Range> { return q.operand(0).binaryNot(); });
  add.operator()<NegOp>(
      [](const Query &q) -> std::optional<Range> { return q.number(0).sub(q.operand(0)); });
  add.operator()<DivOp>(divide);
  add.operator()<RemOp>(remainder);
  add.operator()<MinOp>(minimum);
  add.operator()<MaxOp>(maximum);
  add.operator()<ClampOp>(clamp);
  add.operator()<AbsOp>(absolute);
  add.operator()<SignOp>(sign);
  add.operator()<PopulationCountOp, ClzOp>(countBits);
  add.operator()<ShiftLeftOp>(shiftLeft);
  add.operator()<ShiftRightLogicalOp>(shiftRightLogical);
  add.operator()<ShiftRightArithmeticOp>(shiftRightArithmetic);
  add.operator()<ConvertOp>(convert);
  add.operator()<BitcastConvertOp>(bitcast);
  return table;
}

} // namespace

std::optional<Range> rangeOf(Operation *op, const IntegerRanges &ranges) {
  static const llvm::StringMap<Rule> table = makeTable();
  auto it = table.find(op->getName().getStringRef());
  // The arithmetic of i1 differs, and the ranges of i1 are not needed.
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (it == table.end() || type.getElementType().isInteger(1))
    return std::nullopt;
  return it->second({op, ranges});
}

} // namespace systole::wide64
