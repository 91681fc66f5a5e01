// Arithmetic, comparisons and selection of 64-bit integers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Wide64/Elementwise.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

bool rewriteNarrow(Splitter &s, Operation *op, bool isModular) {
  Value result = op->getResult(0);
  Type element = isModular ? s.narrowElement(result) : s.commonNarrowElement(op);
  if (!element)
    return false;
  Expressions e(op);
  if (isa<AbsOp>(op) && element.isUnsignedInteger()) {
    // The operation does not exist on unsigned words; values that fit one are unchanged.
    s.set(result, {s.low(e, op->getOperand(0), element), nullptr});
    return true;
  }
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(isWide(operand) ? s.low(e, operand, element) : operand);
  RankedTensorType type = typeOf(result);
  state.addTypes(isWide(result) ? type.clone(element) : type);
  state.addAttributes(op->getAttrs());
  // Comparisons use the signedness of the words' type.
  if (isa<CompareOp>(op))
    state.attributes.erase("compare_type");
  Value narrow = e.t.b.create(state)->getResult(0);
  if (isWide(result))
    s.set(result, {narrow, nullptr});
  else
    result.replaceAllUsesWith(narrow);
  return true;
}

Words choose(Expressions &e, ArrayRef<Words> x, bool isSigned, bool takesLess) {
  Value less = takesLess ? e.less(x[0], x[1], isSigned) : e.less(x[1], x[0], isSigned);
  return e.select(less, x[0], x[1]);
}

namespace {

Words absolute(Expressions &e, ArrayRef<Words> x, bool isSigned) {
  return isSigned ? e.negateIf(e.isNegative(x[0].high), x[0]) : x[0];
}

Words sign(Expressions &e, ArrayRef<Words> x, bool isSigned) {
  Value isSome = e.bit(e.invert(e.isZero(x[0])));
  if (!isSigned)
    return {isSome, e.zero(isSome)};
  Value signs = e.signs(x[0].high);
  return {e.bitOr(isSome, signs), signs};
}

Words clamp(Expressions &e, ArrayRef<Words> x, bool isSigned) {
  Words raised = choose(e, {x[0], x[1]}, isSigned, /*takesLess=*/false);
  return choose(e, {raised, x[2]}, isSigned, /*takesLess=*/true);
}

LogicalResult compare(Splitter &s, Operation *op) {
  if (rewriteNarrow(s, op, /*isModular=*/false))
    return success();
  auto compare = cast<CompareOp>(op);
  Expressions e(op);
  Words x = s.wide(e, compare.getLhs()), y = s.wide(e, compare.getRhs());
  bool isSigned = s.ranges.isSigned(compare.getLhs());
  Value result;
  switch (compare.getComparisonDirection()) {
  case ComparisonDirection::EQ:
    result = e.equal(x, y);
    break;
  case ComparisonDirection::NE:
    result = e.invert(e.equal(x, y));
    break;
  case ComparisonDirection::LT:
    result = e.less(x, y, isSigned);
    break;
  case ComparisonDirection::GE:
    result = e.invert(e.less(x, y, isSigned));
    break;
  case ComparisonDirection::GT:
    result = e.less(y, x, isSigned);
    break;
  case ComparisonDirection::LE:
    result = e.invert(e.less(y, x, isSigned));
    break;
  }
  op->getResult(0).replaceAllUsesWith(result);
  return success();
}

/// The bounds of a clamp may be scalars.
LogicalResult rewriteClamp(Splitter &s, Operation *op) {
  if (rewriteNarrow(s, op, /*isModular=*/false))
    return success();
  Expressions e(op);
  SmallVector<Words> operands;
  for (Value operand : op->getOperands()) {
    Words is = s.wide(e, operand);
    ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
    operands.push_back({e.t.fill(is.low, shape), e.t.fill(is.high, shape)});
  }
  setResult(s, e, op, clamp(e, operands, s.ranges.isSigned(op->getResult(0))));
  return success();
}

} // namespace

void addArithmetic(RewriteTable &table) {
  table.add<AddOp>(
      elementwise<[](Expressions &e, ArrayRef<Words> x, bool) { return e.add(x[0], x[1]); }>);
  table.add<SubtractOp>(
      elementwise<[](Expressions &e, ArrayRef<Words> x, bool) { return e.subtract(x[0], x[1]); }>);
  table.add<MulOp>(
      elementwise<[](Expressions &e, ArrayRef<Words> x, bool) { return e.multiply(x[0], x[1]); }>);
  table.add<NegOp>(
      elementwise<[](Expressions &e, ArrayRef<Words> x, bool) { return e.negate(x[0]); }>);
  table.add<AbsOp>(elementwise<absolute, /*isModular=*/false>);
  table.add<SignOp>(elementwise<sign, /*isModular=*/false>);
  table.add<MinOp>(elementwise<[](Expressions &e, ArrayRef<Words> x, bool isSigned) {
    return choose(e, x, isSigned, /*takesLess=*/true);
  },
                               /*isModular=*/false>);
  table.add<MaxOp>(elementwise<[](Expressions &e, ArrayRef<Words> x, bool isSigned) {
    return choose(e, x, isSigned, /*takesLess=*/false);
  },
                               /*isModular=*/false>);
  table.add<ClampOp>(rewriteClamp);
  table.add<CompareOp>(compare);
}

} // namespace systole::wide64
