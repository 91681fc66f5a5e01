// Rewrites elementwise operations on f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Float64/Functions.h"
#include "compiler/Legalize/Float64/Splitter.h"
#include "dialects/CHLO/CHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;
using namespace expansion;

namespace {

/// Rewrites an operation on one or two numbers, which `function` computes.
template <auto function> LogicalResult elementwise(Splitter &s, Operation *op) {
  Functions d(op);
  auto operand = [&](unsigned i) { return s.get(op->getOperand(i)); };
  if constexpr (std::is_invocable_v<decltype(function), Functions &, Words, Words>)
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

/// A loop that all elements share.
LogicalResult remainder(Splitter &s, Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (!isa<func::FuncOp, ModuleOp, WhileOp, IfOp, CaseOp>(parent))
      return emitUnsupported(op,
                             " for f64 in the body of '" + parent->getName().getStringRef() + "'");
  Doubles d(op);
  s.set(op->getResult(0), d.remainder(s.get(op->getOperand(0)), s.get(op->getOperand(1))));
  return success();
}

template <Doubles::Rounding rounding> Words toIntegral(Doubles &d, Words x) {
  return d.toIntegral(x, rounding);
}

void addFunctions(RewriteTable &table) {
  table.add<SqrtOp>(elementwise<[](Functions &f, Words x) { return f.root(x); }>);
  table.add<RsqrtOp>(elementwise<[](Functions &f, Words x) { return f.rsqrt(x); }>);
  table.add<CbrtOp>(elementwise<[](Functions &f, Words x) { return f.cbrt(x); }>);
  table.add<ExpOp>(elementwise<[](Functions &f, Words x) { return f.exp(x); }>);
  table.add<Expm1Op>(elementwise<[](Functions &f, Words x) { return f.expm1(x); }>);
  table.add<LogOp>(elementwise<[](Functions &f, Words x) { return f.log(x); }>);
  table.add<Log1pOp>(elementwise<[](Functions &f, Words x) { return f.log1p(x); }>);
  table.add<LogisticOp>(elementwise<[](Functions &f, Words x) { return f.logistic(x); }>);
  table.add<TanhOp>(elementwise<[](Functions &f, Words x) { return f.tanh(x); }>);
  table.add<SineOp>(elementwise<[](Functions &f, Words x) { return f.sin(x); }>);
  table.add<CosineOp>(elementwise<[](Functions &f, Words x) { return f.cos(x); }>);
  table.add<TanOp>(elementwise<[](Functions &f, Words x) { return f.tan(x); }>);
  table.add<PowOp>(elementwise<[](Functions &f, Words x, Words y) { return f.pow(x, y); }>);
  table.add<Atan2Op>(elementwise<[](Functions &f, Words y, Words x) { return f.atan2(y, x); }>);
  table.add<chlo::AcoshOp>(elementwise<[](Functions &f, Words x) { return f.acosh(x); }>);
  table.add<chlo::CoshOp>(elementwise<[](Functions &f, Words x) { return f.cosh(x); }>);
  table.add<chlo::SinhOp>(elementwise<[](Functions &f, Words x) { return f.sinh(x); }>);
  table.add<chlo::ErfOp>(elementwise<[](Functions &f, Words x) { return f.erf(x); }>);
  table.add<chlo::ErfcOp>(elementwise<[](Functions &f, Words x) { return f.erfc(x); }>);
  table.add<chlo::ErfInvOp>(elementwise<[](Functions &f, Words x) { return f.erfInv(x); }>);
  table.add<chlo::BesselI1eOp>(elementwise<[](Functions &f, Words x) { return f.besselI1e(x); }>);
  table.add<chlo::LgammaOp>(elementwise<[](Functions &f, Words x) { return f.lgamma(x); }>);
  table.add<chlo::DigammaOp>(elementwise<[](Functions &f, Words x) { return f.digamma(x); }>);
}

} // namespace

void addElementwise(RewriteTable &table) {
  using Rounding = Doubles::Rounding;
  table.add<AddOp>(elementwise<[](Doubles &d, Words x, Words y) { return d.sum(x, y); }>);
  table.add<SubtractOp>(
      elementwise<[](Doubles &d, Words x, Words y) { return d.difference(x, y); }>);
  table.add<MulOp>(elementwise<[](Doubles &d, Words x, Words y) { return d.product(x, y); }>);
  table.add<DivOp>(elementwise<[](Doubles &d, Words x, Words y) { return d.quotient(x, y); }>);
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
  table.add<RemOp>(remainder);
  addFunctions(table);
}

} // namespace systole::float64
