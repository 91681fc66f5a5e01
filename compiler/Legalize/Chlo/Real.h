// Operator overloading for formulas on tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_CHLO_REAL_H
#define SYSTOLE_COMPILER_LEGALIZE_CHLO_REAL_H

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

#include <array>
#include <limits>

namespace systole::expansion {

/// A tensor of truth values.
struct Mask {
  mlir::OpBuilder *b;
  mlir::Location loc;
  mlir::Value value;

  friend Mask operator&(Mask x, Mask y) {
    return {x.b, x.loc, stablehlo::AndOp::create(*x.b, x.loc, x.value, y.value)};
  }
  friend Mask operator|(Mask x, Mask y) {
    return {x.b, x.loc, stablehlo::OrOp::create(*x.b, x.loc, x.value, y.value)};
  }
  friend Mask operator!(Mask x) {
    return {x.b, x.loc, stablehlo::NotOp::create(*x.b, x.loc, x.value)};
  }
};

/// A tensor of f32 or f64. Arithmetic creates operations at the builder's insertion point; scalars
/// are broadcast.
class Real {
public:
  Real(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value) : b(&b), loc(loc), held(value) {}

  mlir::Value value() const { return held; }
  mlir::OpBuilder &builder() const { return *b; }
  mlir::Location location() const { return loc; }

  /// A number broadcast to the shape of this tensor.
  Real number(double value) const {
    auto type = mlir::cast<mlir::ShapedType>(held.getType());
    auto elements = type.getElementType().isF64()
                        ? mlir::DenseElementsAttr::get(type, value)
                        : mlir::DenseElementsAttr::get(type, static_cast<float>(value));
    return {*b, loc, stablehlo::ConstantOp::create(*b, loc, elements)};
  }
  template <typename Op> Real apply() const { return {*b, loc, Op::create(*b, loc, held)}; }
  template <typename Op> Real apply(Real other) const {
    return {*b, loc, Op::create(*b, loc, held, other.held)};
  }
  Mask compare(stablehlo::ComparisonDirection direction, Real other) const {
    return {b, loc,
            stablehlo::CompareOp::create(*b, loc, held, other.held, direction,
                                         stablehlo::ComparisonTypeAttr::get(
                                             b->getContext(), stablehlo::ComparisonType::FLOAT))};
  }

  friend Real operator+(Real x, Real y) { return x.apply<stablehlo::AddOp>(y); }
  friend Real operator-(Real x, Real y) { return x.apply<stablehlo::SubtractOp>(y); }
  friend Real operator*(Real x, Real y) { return x.apply<stablehlo::MulOp>(y); }
  friend Real operator/(Real x, Real y) { return x.apply<stablehlo::DivOp>(y); }
  friend Real operator+(Real x, double y) { return x + x.number(y); }
  friend Real operator-(Real x, double y) { return x - x.number(y); }
  friend Real operator*(Real x, double y) { return x * x.number(y); }
  friend Real operator-(double x, Real y) { return y.number(x) - y; }
  friend Real operator+(double x, Real y) { return y.number(x) + y; }
  friend Real operator*(double x, Real y) { return y.number(x) * y; }
  friend Real operator/(double x, Real y) { return y.number(x) / y; }
  friend Real operator-(Real x) { return x.apply<stablehlo::NegOp>(); }
  friend Mask operator<(Real x, double y) {
    return x.compare(stablehlo::ComparisonDirection::LT, x.number(y));
  }
  friend Mask operator<=(Real x, double y) {
    return x.compare(stablehlo::ComparisonDirection::LE, x.number(y));
  }
  friend Mask operator<(Real x, Real y) { return x.compare(stablehlo::ComparisonDirection::LT, y); }
  friend Mask operator>(Real x, double y) {
    return x.compare(stablehlo::ComparisonDirection::GT, x.number(y));
  }
  friend Mask operator==(Real x, double y) {
    return x.compare(stablehlo::ComparisonDirection::EQ, x.number(y));
  }
  friend Mask operator==(Real x, Real y) {
    return x.compare(stablehlo::ComparisonDirection::EQ, y);
  }

private:
  mlir::OpBuilder *b;
  mlir::Location loc;
  mlir::Value held;
};

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr double kPi = 0x1.921fb54442d18p+1;
constexpr double kLn2 = 0x1.62e42fefa39efp-1;

inline Real select(Mask mask, Real x, Real y) {
  return {x.builder(), x.location(),
          stablehlo::SelectOp::create(x.builder(), x.location(), mask.value, x.value(), y.value())};
}
inline Real select(Mask mask, Real x, double y) { return select(mask, x, x.number(y)); }
inline Real select(Mask mask, double x, Real y) { return select(mask, y.number(x), y); }
inline Real abs(Real x) { return x.apply<stablehlo::AbsOp>(); }
inline Real sign(Real x) { return x.apply<stablehlo::SignOp>(); }
inline Real roundToEven(Real x) { return x.apply<stablehlo::RoundNearestEvenOp>(); }
inline Real floor(Real x) { return x.apply<stablehlo::FloorOp>(); }
inline Mask isNan(Real x) { return x.compare(stablehlo::ComparisonDirection::NE, x); }
inline Mask isInfinite(Real x) { return abs(x) == kInfinity; }
inline Real max(Real x, Real y) { return x.apply<stablehlo::MaxOp>(y); }
inline Real min(Real x, Real y) { return x.apply<stablehlo::MinOp>(y); }
inline Real max(Real x, double y) { return x.apply<stablehlo::MaxOp>(x.number(y)); }
inline Real min(Real x, double y) { return x.apply<stablehlo::MinOp>(x.number(y)); }

template <typename Op> Real function(Real x) {
  return {x.builder(), x.location(),
          Op::create(x.builder(), x.location(), x.value(), stablehlo::ResultAccuracyAttr())};
}
inline Real exp(Real x) { return function<stablehlo::ExpOp>(x); }
inline Real expm1(Real x) { return function<stablehlo::Expm1Op>(x); }
inline Real log(Real x) { return function<stablehlo::LogOp>(x); }
inline Real log1p(Real x) { return function<stablehlo::Log1pOp>(x); }
inline Real sqrt(Real x) { return function<stablehlo::SqrtOp>(x); }
inline Real sin(Real x) { return function<stablehlo::SineOp>(x); }
inline Real cos(Real x) { return function<stablehlo::CosineOp>(x); }
inline Real cbrt(Real x) { return function<stablehlo::CbrtOp>(x); }
inline Real pow(Real x, Real y) { return x.apply<stablehlo::PowOp>(y); }
inline Real tan(Real x) { return function<stablehlo::TanOp>(x); }
inline Real atan2(Real y, Real x) { return y.apply<stablehlo::Atan2Op>(x); }

/// Evaluates a polynomial; the constant coefficient comes first.
template <size_t n> Real polynomial(const float (&coefficients)[n], Real x) {
  Real sum = x.number(coefficients[n - 1]);
  for (size_t i = n - 1; i-- > 0;)
    sum = sum * x + coefficients[i];
  return sum;
}

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_LEGALIZE_CHLO_REAL_H
