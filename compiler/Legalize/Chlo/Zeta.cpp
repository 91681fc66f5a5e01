// The Hurwitz zeta function and the derivatives of digamma.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Chlo/Expansions.h"
#include "compiler/Tensor/Tensors.h"

using namespace mlir;

namespace systole::expansion {

// Bernoulli numbers of even order from 2 on, each divided by the factorial of its order: in f32 the
// first ones are enough.
constexpr double kBernoulli[] = {
    0x1.5555555555555p-4,  -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15, -0x1.bbd779334ef0bp-21,
    0x1.66a8f2bf70ebep-26, -0x1.22805d644267fp-31, 0x1.d6db2c4e09162p-37, -0x1.7da4e1f79955cp-42,
    0x1.355871d652e9ep-47, -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58, -0x1.497d9033a2b5cp-63};
constexpr size_t kOrdersOfFloats = 7;
/// Terms of the sum before Euler and Maclaurin's formula, which is exact from there on.
constexpr int kTerms = 9;

namespace {

/// The terms of the sum, times the square of a scale, as long as sums of what is too small for f32
/// may be large enough: the squares of scaled roots.
struct Terms {
  Real exponent, scale;
  Mask isOdd;

  Terms(Real s, Real q)
      : exponent(-0.5f * s), scale(select(root(q) < 0x1p-30f, 0x1p+30f, s.number(1))),
        isOdd(!(floor(exponent) == exponent)) {}

  Real root(Real base) const { return pow(abs(base), exponent); }
  Real of(Real base) const {
    Real scaled = root(base) * scale, size = scaled * scaled;
    return select(isOdd & (base < 0), -size, size);
  }
};

/// The integral from the first term that is left out on, half of that term, and derivatives there.
Real restOfSum(const Terms &terms, Real s, Real first) {
  Real term = terms.of(first), inverse = 1 / first;
  Real derivative = s * inverse;
  Real rest = first / (s - 1) + 0.5f;
  for (size_t order = 0; order < kOrdersOfFloats; ++order) {
    rest = rest + derivative * static_cast<float>(kBernoulli[order]);
    auto next = static_cast<float>(2 * order + 1);
    derivative = derivative * (((s + next) * inverse) * ((s + (next + 1)) * inverse));
  }
  return select(term == 0, 0.0f, term * rest);
}

Real sumOfFloats(Real s, Real q) {
  Terms terms(s, q);
  Real sum = restOfSum(terms, s, q + kTerms);
  for (int k = kTerms - 1; k >= 0; --k)
    sum = sum + terms.of(q + static_cast<float>(k));
  Real inverse = 1 / terms.scale;
  return sum * inverse * inverse;
}

//===----------------------------------------------------------------------===//
// f64, of which an operation is a hundred of the machine's: loops keep programs small
//===----------------------------------------------------------------------===//

bool isDouble(Real x) { return typeOf(x.value()).getElementType().isF64(); }

/// The products of two factors (s + n) / first by which the derivatives grow have constant second
/// differences.
Real restOfDoubles(Real s, Real first) {
  Real term = pow(first, -s), inverse = 1 / first, square = inverse * inverse;
  constexpr int last = std::size(kBernoulli);
  Real growth = (s + (2 * last - 3)) * inverse * ((s + (2 * last - 2)) * inverse);
  Real step = (4 * s + (8 * last - 14)) * square, change = 8 * square;
  Real sum = s.number(kBernoulli[last - 1]);
  for (int order = last; order > 1; --order) {
    sum = sum * growth + kBernoulli[order - 2];
    growth = growth - step;
    step = step - change;
  }
  Real rest = first / (s - 1) + 0.5 + sum * (s * inverse);
  return select(term == 0, 0.0, term * rest);
}

/// From the smallest term on.
Real sumOfDoubles(Real s, Real q) {
  Tensors t(&*s.builder().getInsertionPoint());
  ArrayRef<int64_t> shape = shapeOf(s.value());
  Type f64 = t.b.getF64Type();
  Value exponent = (-s).value();
  auto added = t.repeat(kTerms, restOfDoubles(s, q + kTerms).value(), [&](Value i, ValueRange sum) {
    Value k = t.fill(t.convert(i, f64), shape);
    auto here = [&](Value value) { return Real(t.b, t.loc, value); };
    Real base = here(q.value()) + (kTerms - 1 - here(k));
    return SmallVector<Value>{(here(sum[0]) + pow(base, here(exponent))).value()};
  });
  return {s.builder(), s.location(), added[0]};
}

/// The factorial of integers, in as many trips as the largest one has factors.
Real factorialOfDoubles(Real n) {
  constexpr double mostFactors = 171; // for which it is infinite
  Tensors t(&*n.builder().getInsertionPoint());
  ArrayRef<int64_t> shape = shapeOf(n.value());
  Type f64 = t.b.getF64Type();
  Value factors = select(n > 0, min(n, mostFactors), 0.0).value();
  Value most = t.reduce<stablehlo::MaxOp>(factors, t.real(f64, 0),
                                          llvm::to_vector(llvm::seq<int64_t>(0, shape.size())));
  Value first[] = {t.real(f64, 1), t.real(f64, 1, shape)};
  auto loop = stablehlo::WhileOp::create(t.b, t.loc, TypeRange(ValueRange(first)), first);
  OpBuilder::InsertionGuard guard(t.b);
  SmallVector<Location> locations(2, t.loc);
  Block *cond = t.b.createBlock(&loop.getCond(), {}, TypeRange(ValueRange(first)), locations);
  stablehlo::ReturnOp::create(
      t.b, t.loc, t.compare(stablehlo::ComparisonDirection::LE, cond->getArgument(0), most));
  Block *body = t.b.createBlock(&loop.getBody(), {}, TypeRange(ValueRange(first)), locations);
  Value k = body->getArgument(0), product = body->getArgument(1);
  Value isFactor = t.compare(stablehlo::ComparisonDirection::LE, t.fill(k, shape), factors);
  Value factor = t.select(isFactor, t.fill(k, shape), t.real(f64, 1, shape));
  stablehlo::ReturnOp::create(t.b, t.loc,
                              ValueRange{t.apply<stablehlo::AddOp>(k, t.real(f64, 1)),
                                         t.apply<stablehlo::MulOp>(product, factor)});
  return {n.builder(), n.location(), loop.getResult(1)};
}

Real factorialOfFloats(Real n) {
  // The largest order whose factorial is finite in f32.
  constexpr int mostFactors = 34;
  Real factorial = max(n, 1);
  for (int k = 1; k <= mostFactors; ++k)
    factorial = factorial * max(n - static_cast<float>(k), 1);
  return factorial;
}

} // namespace

Real zeta(Real s, Real q) {
  Real sum = isDouble(s) ? sumOfDoubles(s, q) : sumOfFloats(s, q);
  auto isInteger = [](Real x) { return floor(x) == x; };
  // The power of a negative number is real for integers only.
  sum = select(isInteger(s) | (q > 0), sum, kNaN);
  sum = select(s < 1, kNaN, sum);
  // Of an even power both sides of a pole have the same sign.
  Real pole = select(isInteger(0.5f * s), kInfinity, s.number(kNaN));
  sum = select((q <= 0) & isInteger(q), pole, sum);
  return select(s == 1, kInfinity, sum);
}

/// Digamma, which in f64 is not a formula.
static Real firstDerivative(Real x) {
  if (!isDouble(x))
    return digamma(x);
  return {x.builder(), x.location(),
          chlo::DigammaOp::create(x.builder(), x.location(), x.value().getType(), x.value())};
}

Real polygamma(Real n, Real x) {
  Real factorial = isDouble(n) ? factorialOfDoubles(n) : factorialOfFloats(n);
  Real half = 0.5f * n;
  Real sign = select(floor(half) == half, -1.0f, n.number(1));
  Real derivative = sign * factorial * zeta(n + 1, x);
  Real result = select(n == 0, firstDerivative(x), derivative);
  return select((n < 0) | !(floor(n) == n), kNaN, result);
}

} // namespace systole::expansion
