// Rewrites elementwise operations on f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Float64/Splitter.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;
using namespace expansion;

namespace {

/// Rewrites an operation on one or two numbers, which `function` computes.
template <auto function> LogicalResult elementwise(Splitter &s, Operation *op) {
  Doubles d(op);
  auto operand = [&](unsigned i) { return s.get(op->getOperand(i)); };
  if constexpr (std::is_invocable_v<decltype(function), Doubles &, Words, Words>)
    s.set(op->getResult(0), function(d, operand(0), operand(1)));
  else
    s.set(op->getResult(0), function(d, operand(0)));
  return success();
}

LogicalResult compare(Splitter &s, Operation *op) {
  auto compare = cast<CompareOp>(op);
  Doubles d(op);
  Words x = s.get(compare.getLhs()), y = s.get(compare.getRhs());
  bool isTotal = compare.getCompareType() == ComparisonType::TOTALORDER;
  ComparisonDirection direction = compare.getComparisonDirection();
  op->getResult(0).replaceAllUsesWith(isTotal ? d.compareTotal(direction, x, y)
                                              : d.compare(direction, x, y));
  return success();
}

LogicalResult isFinite(Splitter &s, Operation *op) {
  Doubles d(op);
  op->getResult(0).replaceAllUsesWith(d.isFinite(s.get(op->getOperand(0))));
  return success();
}

/// The bounds may be scalars.
LogicalResult clamp(Splitter &s, Operation *op) {
  Doubles d(op);
  auto filled = [&](Value value) {
    Words words = s.get(value);
    ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
    return Words{d.t.fill(words.low, shape), d.t.fill(words.high, shape)};
  };
  auto clamp = cast<ClampOp>(op);
  Words raised = d.minimum(filled(clamp.getMin()), filled(clamp.getOperand()), /*takesLess=*/false);
  s.set(op->getResult(0), d.minimum(raised, filled(clamp.getMax()), /*takesLess=*/true));
  return success();
}

LogicalResult reducePrecision(Splitter &s, Operation *op) {
  auto reduce = cast<ReducePrecisionOp>(op);
  Doubles d(op);
  s.set(op->getResult(0),
        d.reduce(s.get(reduce.getOperand()), reduce.getExponentBits(), reduce.getMantissaBits()));
  return success();
}

template <Doubles::Rounding rounding> Words toIntegral(Doubles &d, Words x) {
  return d.toIntegral(x, rounding);
}

} // namespace

void addElementwise(RewriteTable &table) {
  using Rounding = Doubles::Rounding;
  table.add<AddOp>(elementwise<[](Doubles &d, Words x, Words y) { return d.sum(x, y); }>);
  table.add<SubtractOp>(
      elementwise<[](Doubles &d, Words x, Words y) { return d.difference(x, y); }>);
  table.add<MulOp>(elementwise<[](Doubles &d, Words x, Words y) { return d.product(x, y); }>);
  table.add<DivOp>(elementwise<[](Doubles &d, Words x, Words y) { return d.quotient(x, y); }>);
  table.add<SqrtOp>(elementwise<[](Doubles &d, Words x) { return d.root(x); }>);
  table.add<MinOp>(elementwise<[](Doubles &d, Words x, Words y) { return d.minimum(x, y, true); }>);
  table.add<MaxOp>(
      elementwise<[](Doubles &d, Words x, Words y) { return d.minimum(x, y, false); }>);
  table.add<NegOp>(elementwise<[](Doubles &d, Words x) { return d.opposite(x); }>);
  table.add<AbsOp>(elementwise<[](Doubles &d, Words x) { return d.absolute(x); }>);
  table.add<SignOp>(elementwise<[](Doubles &d, Words x) { return d.signOf(x); }>);
  table.add<FloorOp>(elementwise<toIntegral<Rounding::Down>>);
  table.add<CeilOp>(elementwise<toIntegral<Rounding::Up>>);
  table.add<RoundNearestEvenOp>(elementwise<toIntegral<Rounding::Even>>);
  table.add<RoundOp>(elementwise<toIntegral<Rounding::Away>>);
  table.add<IsFiniteOp>(isFinite);
  table.add<CompareOp>(compare);
  table.add<ClampOp>(clamp);
  table.add<ReducePrecisionOp>(reducePrecision);
}

} // namespace systole::float64
