// QR decomposition by Householder reflectors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Expand/Matrices.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

namespace {

/// Matrices of one shape, [..., m, n], as [batch, n, m]: a column's elements are along the lanes.
/// The reflector of column j is I - tau v v', v' the conjugate of v, where v is 0 above row j, 1 in
/// it, and stored in the factored matrix below it. A factorization applies its adjoint.
class Reflectors : public Matrices {
public:
  Reflectors(CustomCallOp op, RankedTensorType matrices)
      : Matrices(op), outerSizes(matrices.getShape().drop_back(2)) {
    for (int64_t size : outerSizes)
      batch *= size;
    m = matrices.getShape().end()[-2];
    n = matrices.getShape().end()[-1];
    count = std::min(m, n);
  }

  Value columnsOf(Value matrices) { return swap(batched(matrices)); }
  Value matricesOf(Value columns) { return t.reshape(swap(columns), inside({m, n})); }
  SmallVector<int64_t> inside(ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> shape(outerSizes);
    llvm::append_range(shape, sizes);
    return shape;
  }

  /// (I - tau v v') of each column: [batch, n, m], [batch, m], [batch].
  Value reflected(Value columns, Value vector, Value tau) {
    SmallVector<int64_t> shape(shapeOf(columns));
    Value projections = sum(multiply(columns, t.spread(conjugate(vector), shape, {0, 2})));
    Value factor = multiply(projections, t.spread(tau, {batch, n}, {0}));
    return subtract(columns, outer(factor, vector, shape));
  }

  /// A mask of the elements of [batch, n, m] that a reflector changes: columns that
  /// compare with j, rows from j on. All others keep their values, since zero times NaN is
  /// NaN.
  Value isFrom(Value j, ComparisonDirection direction, Value columns) {
    ArrayRef<int64_t> shape = shapeOf(columns);
    Value isRow = t.spread(indexMask(ComparisonDirection::GE, {batch, m}, j), shape, {0, 2});
    return both(rowsAre(direction, shape, j), isRow);
  }

  SmallVector<Value> factorColumn(Value j, Value columns, Value taus);
  Value applyReflector(Value j, Value columns, Value taus, Value factored);

  SmallVector<int64_t> outerSizes;
  int64_t batch = 1, m, n, count;
};

// The norm is computed from values scaled to at most 1, so that squares do not overflow.
SmallVector<Value> Reflectors::factorColumn(Value j, Value columns, Value taus) {
  using enum ComparisonDirection;
  SmallVector<int64_t> rows = {batch, m}, each = {batch};
  auto perRow = [&](Value value) { return t.spread(value, rows, {0}); };
  Value x = row(columns, j), isBelow = indexMask(GT, rows, j), isAt = indexMask(EQ, rows, j);
  Value tail = t.select(isBelow, x, zero(rows));
  Value alpha = at(x, j), realAlpha = realPart(alpha);
  Value farthest = largest(tail), scale = t.apply<MaxOp>(farthest, magnitude(alpha));
  Value none = t.real(part, 0, each);
  scale = t.select(t.compare(EQ, scale, none), t.real(part, 1, each), scale);
  Value small = divide(tail, fromReal(perRow(scale))), smallAlpha = divide(alpha, fromReal(scale));
  Value squares = add(sum(squared(small)), squared(smallAlpha));
  Value norm = multiply(t.apply<SqrtOp>(squares), scale);

  // A column that is zero below a real diagonal is unchanged, and so is its sign.
  Value isDone = t.compare(EQ, farthest, none);
  if (isComplex())
    isDone = both(isDone, t.compare(EQ, alpha, fromReal(realAlpha)));
  Value isNegative = t.compare(LT, realAlpha, none);
  Value beta =
      fromReal(t.select(isDone, realAlpha, t.select(isNegative, norm, t.apply<NegOp>(norm))));
  Value difference = subtract(alpha, beta);
  Value tau = t.select(isDone, zero(each), divide(difference, t.apply<NegOp>(beta)));
  Value divisor = t.select(isDone, one(each), difference);
  Value isKept = t.apply<AndOp>(isBelow, t.apply<NotOp>(perRow(isDone)));
  Value below = t.select(isKept, divide(tail, perRow(divisor)), zero(rows));
  Value vector = t.select(isAt, one(rows), below);

  Value stored = t.select(isBelow, below, t.select(isAt, perRow(beta), x));
  Value next = reflected(columns, vector, conjugate(tau));
  next = withRow(t.select(isFrom(j, GT, columns), next, columns), j, stored);
  Value isTau = indexMask(EQ, shapeOf(taus), j);
  return {next, t.select(isTau, t.spread(tau, shapeOf(taus), {0}), taus)};
}

Value Reflectors::applyReflector(Value j, Value columns, Value taus, Value factored) {
  using enum ComparisonDirection;
  SmallVector<int64_t> rows = {batch, m};
  Value below = t.select(indexMask(GT, rows, j), row(factored, j), zero(rows));
  Value vector = t.select(indexMask(EQ, rows, j), one(rows), below);
  // Columns before j, and rows, are still those of the identity.
  return t.select(isFrom(j, GE, columns), reflected(columns, vector, at(taus, j)), columns);
}

/// Whether the operands are matrices, [..., m, n], and k scalars for each.
bool areFactors(Type matrices, Type scalars,
                function_ref<bool(int64_t m, int64_t n, int64_t k)> fit) {
  auto matrix = cast<RankedTensorType>(matrices), scalar = cast<RankedTensorType>(scalars);
  ArrayRef<int64_t> shape = matrix.getShape(), counts = scalar.getShape();
  Type element = matrix.getElementType();
  return isFactored(element) && scalar.getElementType() == element && shape.size() >= 2 &&
         counts.size() + 1 == shape.size() && shape.drop_back(2) == counts.drop_back() &&
         fit(shape.end()[-2], shape.end()[-1], counts.back());
}

} // namespace

SmallVector<Value> expandQr(CustomCallOp op) {
  if (op.getNumOperands() != 1 || op.getNumResults() != 2)
    return {};
  Type matrices = op.getOperandTypes()[0], scalars = op.getResultTypes()[1];
  auto isEachColumn = [](int64_t m, int64_t n, int64_t k) { return k == std::min(m, n); };
  if (matrices != op.getResultTypes()[0] || !areFactors(matrices, scalars, isEachColumn))
    return {};
  Reflectors r(op, cast<RankedTensorType>(matrices));
  SmallVector<Value> start = {r.columnsOf(op.getInputs()[0]), r.zero({r.batch, r.count})};
  SmallVector<Value> factored = r.t.repeat(
      r.count, start, [&](Value j, ValueRange now) { return r.factorColumn(j, now[0], now[1]); });
  return {r.matricesOf(factored[0]), r.t.reshape(factored[1], r.inside({r.count}))};
}

SmallVector<Value> expandReflectors(CustomCallOp op) {
  if (op.getNumOperands() != 2 || op.getNumResults() != 1)
    return {};
  Type matrices = op.getOperandTypes()[0], scalars = op.getOperandTypes()[1];
  auto isTall = [](int64_t m, int64_t n, int64_t k) { return m >= n && n >= k; };
  if (matrices != op.getResultTypes()[0] || !areFactors(matrices, scalars, isTall))
    return {};
  Reflectors r(op, cast<RankedTensorType>(matrices));
  int64_t k = cast<RankedTensorType>(scalars).getShape().back();
  Value factored = r.columnsOf(op.getInputs()[0]);
  Value taus = r.t.reshape(op.getInputs()[1], {r.batch, k});
  SmallVector<int64_t> shape = {r.batch, r.n, r.m};
  // The last reflector is applied first.
  SmallVector<Value> applied = r.t.repeat(k, r.identity(shape), [&](Value i, ValueRange now) {
    Value j = r.subtract(r.t.number(r.i32, k - 1), i);
    return SmallVector<Value>{r.applyReflector(j, now[0], taus, factored)};
  });
  return {r.matricesOf(applied[0])};
}

} // namespace systole::expansion
