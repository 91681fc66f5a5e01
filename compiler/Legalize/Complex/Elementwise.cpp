// Rewrites elementwise operations on complex numbers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Complex/Splitter.h"
#include "compiler/Tensor/OpKinds.h"
#include "dialects/CHLO/CHLO.h"

using namespace mlir;

namespace systole::complex {

using namespace stablehlo;
using namespace expansion;

namespace {

/// Rewrites an operation on one or two complex numbers, which `function` computes.
template <auto function> LogicalResult elementwise(Splitter &s, Operation *op) {
  OpBuilder b(op);
  auto operand = [&](unsigned i) { return s.get(b, op->getLoc(), op->getOperand(i)); };
  if constexpr (std::is_invocable_v<decltype(function), Complex, Complex>)
    s.set(op->getResult(0), function(operand(0), operand(1)));
  else
    s.set(op->getResult(0), function(operand(0)));
  return success();
}

/// Replaces an operation with a real result.
template <auto function> LogicalResult real(Splitter &s, Operation *op) {
  OpBuilder b(op);
  Real result = function(s.get(b, op->getLoc(), op->getOperand(0)));
  op->getResult(0).replaceAllUsesWith(result.value());
  return success();
}

LogicalResult complexOfParts(Splitter &s, Operation *op) {
  s.setPlanes(op->getResult(0), {op->getOperand(0), op->getOperand(1)});
  return success();
}

LogicalResult convert(Splitter &s, Operation *op) {
  Tensors t(op);
  Value from = op->getOperand(0), to = op->getResult(0);
  Type part = partType(to);
  if (!isComplex(to)) {
    to.replaceAllUsesWith(t.convert(s.planesOf(from)[0], part));
    return success();
  }
  Value re = isComplex(from) ? s.planesOf(from)[0] : from;
  Value im =
      isComplex(from) ? t.convert(s.planesOf(from)[1], part) : t.number(part, 0, shapeOf(from));
  s.setPlanes(to, {t.convert(re, part), im});
  return success();
}

/// Whether a tensor holds only zeros with a positive sign.
bool isZero(Value value) {
  while (auto *op = value.getDefiningOp()) {
    if (!isa<BroadcastInDimOp, ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
  return elements && elements.isSplat() && elements.getSplatValue<APFloat>().isPosZero();
}

/// A real divisor divides both parts.
Complex quotient(Complex x, Complex y) {
  if (isZero(y.im.value()))
    return {x.re / y.re, x.im / y.re};
  return divide(x, y);
}

Mask isEqual(Complex x, Complex y) { return (x.re == y.re) & (x.im == y.im); }

/// Real parts decide, imaginary parts where these are equal.
Mask isLess(Complex x, Complex y) { return (x.re < y.re) | ((x.re == y.re) & (x.im < y.im)); }

Mask compare(ComparisonDirection direction, Complex x, Complex y) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return isEqual(x, y);
  case ComparisonDirection::NE:
    return !isEqual(x, y);
  case ComparisonDirection::LT:
    return isLess(x, y);
  case ComparisonDirection::GT:
    return isLess(y, x);
  case ComparisonDirection::LE:
    return isLess(x, y) | isEqual(x, y);
  case ComparisonDirection::GE:
    return isLess(y, x) | isEqual(x, y);
  }
  llvm_unreachable("unknown comparison direction");
}

LogicalResult compare(Splitter &s, Operation *op) {
  auto comparison = cast<CompareOp>(op);
  OpBuilder b(op);
  Mask result =
      compare(comparison.getComparisonDirection(), s.get(b, op->getLoc(), comparison.getLhs()),
              s.get(b, op->getLoc(), comparison.getRhs()));
  op->getResult(0).replaceAllUsesWith(result.value);
  return success();
}

/// A NaN is chosen.
Mask isNan(Complex x) { return isNan(x.re) | isNan(x.im); }
Complex minimum(Complex x, Complex y) { return select(isNan(x) | isLess(x, y), x, y); }
Complex maximum(Complex x, Complex y) { return select(isNan(x) | isLess(y, x), x, y); }

/// The bounds may be scalars.
LogicalResult clamp(Splitter &s, Operation *op) {
  Tensors t(op);
  auto filled = [&](Value value) -> Complex {
    SmallVector<Value> parts = s.planesOf(value);
    for (Value &part : parts)
      part = t.fill(part, shapeOf(op->getResult(0)));
    return {Real(t.b, t.loc, parts[0]), Real(t.b, t.loc, parts[1])};
  };
  auto clamp = cast<ClampOp>(op);
  Complex raised = maximum(filled(clamp.getMin()), filled(clamp.getOperand()));
  s.set(op->getResult(0), minimum(raised, filled(clamp.getMax())));
  return success();
}

/// Complex numbers of one size have the same parts.
LogicalResult bitcast(Splitter &s, Operation *op) {
  s.setPlanes(op->getResult(0), s.planesOf(op->getOperand(0)));
  return success();
}

/// Functions whose arguments and results are complex.
void addFunctions(RewriteTable &table) {
  table.add<SignOp>(elementwise<static_cast<Complex (*)(Complex)>(sign)>);
  table.add<SqrtOp>(elementwise<static_cast<Complex (*)(Complex)>(sqrt)>);
  table.add<RsqrtOp>(elementwise<rsqrt>);
  table.add<CbrtOp>(elementwise<static_cast<Complex (*)(Complex)>(cbrt)>);
  table.add<ExpOp>(elementwise<static_cast<Complex (*)(Complex)>(exp)>);
  table.add<Expm1Op>(elementwise<static_cast<Complex (*)(Complex)>(expm1)>);
  table.add<LogOp>(elementwise<static_cast<Complex (*)(Complex)>(log)>);
  table.add<Log1pOp>(elementwise<static_cast<Complex (*)(Complex)>(log1p)>);
  table.add<LogisticOp>(elementwise<logistic>);
  table.add<SineOp>(elementwise<static_cast<Complex (*)(Complex)>(sin)>);
  table.add<CosineOp>(elementwise<static_cast<Complex (*)(Complex)>(cos)>);
  table.add<TanOp, chlo::TanOp>(elementwise<static_cast<Complex (*)(Complex)>(tan)>);
  table.add<TanhOp>(elementwise<tanh>);
  table.add<PowOp>(elementwise<static_cast<Complex (*)(Complex, Complex)>(pow)>);
  table.add<Atan2Op>(elementwise<static_cast<Complex (*)(Complex, Complex)>(atan2)>);
  table.add<chlo::SinhOp>(elementwise<static_cast<Complex (*)(Complex)>(sinh)>);
  table.add<chlo::CoshOp>(elementwise<static_cast<Complex (*)(Complex)>(cosh)>);
  table.add<chlo::AsinOp>(elementwise<static_cast<Complex (*)(Complex)>(asin)>);
  table.add<chlo::AsinAcosKernelOp>(elementwise<asinAcosKernel>);
  table.add<chlo::AcosOp>(elementwise<static_cast<Complex (*)(Complex)>(acos)>);
  table.add<chlo::AtanOp>(elementwise<static_cast<Complex (*)(Complex)>(atan)>);
  table.add<chlo::AsinhOp>(elementwise<static_cast<Complex (*)(Complex)>(asinh)>);
  table.add<chlo::AcoshOp>(elementwise<static_cast<Complex (*)(Complex)>(acosh)>);
  table.add<chlo::AtanhOp>(elementwise<static_cast<Complex (*)(Complex)>(atanh)>);
}

} // namespace

void addElementwise(RewriteTable &table) {
  table.add<ComplexOp>(complexOfParts);
  table.add<RealOp>(real<[](Complex x) { return x.re; }>);
  table.add<ImagOp>(real<[](Complex x) { return x.im; }>);
  table.add<AbsOp>(real<static_cast<Real (*)(Complex)>(abs)>);
  table.add<ConvertOp>(convert);
  table.add<BitcastConvertOp>(bitcast);
  table.add<AddOp>(elementwise<[](Complex x, Complex y) { return x + y; }>);
  table.add<SubtractOp>(elementwise<[](Complex x, Complex y) { return x - y; }>);
  table.add<MulOp>(elementwise<[](Complex x, Complex y) { return x * y; }>);
  table.add<DivOp>(elementwise<quotient>);
  table.add<NegOp>(elementwise<[](Complex x) { return -x; }>);
  table.add<MaxOp>(elementwise<maximum>);
  table.add<MinOp>(elementwise<minimum>);
  table.add<ClampOp>(clamp);
  table.add<CompareOp>(static_cast<LogicalResult (*)(Splitter &, Operation *)>(compare));
  table.add<chlo::ConjOp>(elementwise<conjugate>);
  table.add<chlo::SquareOp>(elementwise<[](Complex x) { return x * x; }>);
  addFunctions(table);
}

} // namespace systole::complex
