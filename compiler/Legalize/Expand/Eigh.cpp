// Eigenvalues and eigenvectors of Hermitian matrices by Jacobi rotations.
//
// A round rotates disjoint pairs of rows and columns at once, so that the elements that the pairs
// share become zero. After n - 1 rounds, a sweep, every two rows have met once: rows move between
// rounds as players of a tournament do (Brent and Luk, The solution of singular-value and symmetric
// eigenvalue problems on multiprocessor arrays, 1985). The first row of each pair is in the upper
// half of the matrix, the second one in the lower half, so that all of a round is elementwise work
// on quadrants.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Expand/Matrices.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;
using enum ComparisonDirection;

namespace {

/// The fields of the backend configuration, "lower,sort,sweeps,tolerance".
struct Settings {
  bool isLower = true, isSorted = true;
  int64_t mostSweeps = 100;
  double tolerance = 1e-6;
};

std::optional<Settings> settingsOf(CustomCallOp op) {
  Settings settings;
  auto text = dyn_cast_or_null<StringAttr>(op.getBackendConfigAttr());
  if (!text || text.empty())
    return settings;
  SmallVector<StringRef> fields;
  text.getValue().split(fields, ',');
  int64_t lower, sort;
  if (fields.size() != 4 || fields[0].getAsInteger(10, lower) || fields[1].getAsInteger(10, sort) ||
      fields[2].getAsInteger(10, settings.mostSweeps) || settings.mostSweeps < 1 ||
      settings.mostSweeps > std::numeric_limits<int32_t>::max() ||
      fields[3].getAsDouble(settings.tolerance) || std::isnan(settings.tolerance))
    return std::nullopt;
  settings.isLower = lower != 0;
  settings.isSorted = sort != 0;
  return settings;
}

/// The quadrants of matrices [batch, 2k, 2k], each [batch, k, k], and the upper and lower half of
/// their transposed eigenvectors, [batch, k, 2k]: the values of a loop.
struct Quadrants {
  Value topLeft, topRight, bottomLeft, bottomRight, topVectors, bottomVectors;

  explicit Quadrants(ValueRange values)
      : topLeft(values[0]), topRight(values[1]), bottomLeft(values[2]), bottomRight(values[3]),
        topVectors(values[4]), bottomVectors(values[5]) {}
  SmallVector<Value> values() const {
    return {topLeft, topRight, bottomLeft, bottomRight, topVectors, bottomVectors};
  }
};

/// For each pair of rows p and q the matrix
///   cosine         sine
///   -conj(sine)    cosine
/// whose adjoint from the left and itself from the right make the shared element zero, and the
/// elements of the diagonal thereafter. All are [batch, k]; the diagonal is real.
struct Rotation {
  Value cosine, sine, first, second;
};

class Jacobi : public Matrices {
public:
  Jacobi(CustomCallOp op, Settings settings, int64_t n)
      : Matrices(op), settings(settings), n(n), half(std::max<int64_t>(1, (n + 1) / 2)) {}

  /// The eigenvalues of [batch, n, n], [batch, n], and the transposed eigenvectors.
  std::pair<Value, Value> decompose(Value a);

private:
  Value hermitian(Value a);
  Value diagonal(Value x) { return pick(triangle(EQ, shapeOf(x)), x); }
  /// Of each row, or of each column, of x a factor.
  Value scaleRows(Value x, Value by) { return multiply(x, t.spread(by, shapeOf(x), {0, 1})); }
  Value scaleColumns(Value x, Value by) { return multiply(x, t.spread(by, shapeOf(x), {0, 2})); }
  Value withDiagonal(Value x, Value diagonal) {
    Value spread = t.spread(fromReal(diagonal), shapeOf(x), {0, 1});
    return t.select(triangle(EQ, shapeOf(x)), spread, x);
  }

  Rotation rotationOf(const Quadrants &q);
  Quadrants rotated(const Quadrants &q);
  void exchange(Value &first, Value &second, int64_t dim);
  Quadrants nextPairs(Quadrants q);
  Value hasConverged(const Quadrants &q);
  Quadrants iterate(const Quadrants &start);
  void sort(Value &eigenvalues, Value &vectors);

  Settings settings;
  int64_t n, half;
};

/// The matrices that one triangle of `a` describes.
Value Jacobi::hermitian(Value a) {
  ArrayRef<int64_t> shape = shapeOf(a);
  Value isStored = triangle(settings.isLower ? GE : LE, shape);
  Value whole = t.select(isStored, a, conjugate(swap(a)));
  return isComplex() ? t.select(triangle(EQ, shape), fromReal(realPart(whole)), whole) : whole;
}

// The smaller of the two angles (Golub and Van Loan, Matrix Computations, 8.5.2), after the phase
// of the shared element is taken out.
Rotation Jacobi::rotationOf(const Quadrants &q) {
  Value p = realPart(diagonal(q.topLeft)), r = realPart(diagonal(q.bottomRight));
  Value shared = diagonal(q.topRight);
  ArrayRef<int64_t> shape = shapeOf(p);
  Value none = t.real(part, 0, shape), one = t.real(part, 1, shape);
  Value size = isComplex() ? AbsOp::create(t.b, t.loc, p.getType(), shared).getResult()
                           : t.apply<AbsOp>(shared);
  Value isZero = t.compare(EQ, size, none), divisor = t.select(isZero, one, size);
  Value phase = divide(shared, fromReal(divisor));
  Value cotangent = divide(multiply(t.real(part, 0.5, shape), subtract(r, p)), divisor);
  Value root = t.apply<SqrtOp>(add(one, multiply(cotangent, cotangent)));
  Value tangent = divide(one, add(t.apply<AbsOp>(cotangent), root));
  Value isNegative = t.compare(LT, cotangent, none);
  tangent = t.select(isNegative, t.apply<NegOp>(tangent), tangent);
  tangent = t.select(isZero, none, tangent);
  Value cosine = t.apply<RsqrtOp>(add(one, multiply(tangent, tangent)));
  Value change = multiply(tangent, size);
  return {fromReal(cosine), multiply(phase, fromReal(multiply(tangent, cosine))),
          subtract(p, change), add(r, change)};
}

Quadrants Jacobi::rotated(const Quadrants &q) {
  Rotation r = rotationOf(q);
  Value c = r.cosine, s = r.sine, conjugated = conjugate(s);
  Quadrants next = q;
  auto rows = [&](Value &upper, Value &lower, Value minus, Value plus) {
    Value first = subtract(scaleRows(upper, c), scaleRows(lower, minus));
    lower = add(scaleRows(upper, plus), scaleRows(lower, c));
    upper = first;
  };
  auto columns = [&](Value &left, Value &right) {
    Value first = subtract(scaleColumns(left, c), scaleColumns(right, conjugated));
    right = add(scaleColumns(left, s), scaleColumns(right, c));
    left = first;
  };
  rows(next.topLeft, next.bottomLeft, s, conjugated);
  rows(next.topRight, next.bottomRight, s, conjugated);
  columns(next.topLeft, next.topRight);
  columns(next.bottomLeft, next.bottomRight);
  rows(next.topVectors, next.bottomVectors, conjugated, s);
  Value none = t.real(part, 0, shapeOf(r.first));
  next.topLeft = withDiagonal(next.topLeft, r.first);
  next.bottomRight = withDiagonal(next.bottomRight, r.second);
  next.topRight = withDiagonal(next.topRight, none);
  next.bottomLeft = withDiagonal(next.bottomLeft, none);
  return next;
}

/// Moves all but the first of 2k rows or columns by one place in the circle
///   first[1] ... first[k - 1] second[k - 1] ... second[0]
void Jacobi::exchange(Value &first, Value &second, int64_t dim) {
  if (half == 1)
    return;
  Value pieces[] = {t.slice(first, dim, 0, 1), t.slice(second, dim, 0, 1),
                    t.slice(first, dim, 1, half - 2)};
  Value below[] = {t.slice(second, dim, 1, half - 1), t.slice(first, dim, half - 1, 1)};
  first = t.concatenate(pieces, dim);
  second = t.concatenate(below, dim);
}

Quadrants Jacobi::nextPairs(Quadrants q) {
  exchange(q.topLeft, q.bottomLeft, 1);
  exchange(q.topRight, q.bottomRight, 1);
  exchange(q.topLeft, q.topRight, 2);
  exchange(q.bottomLeft, q.bottomRight, 2);
  exchange(q.topVectors, q.bottomVectors, 1);
  return q;
}

/// Whether the elements beside the diagonal are small in each matrix. Those with NaN are done.
Value Jacobi::hasConverged(const Quadrants &q) {
  int64_t batch = shapeOf(q.topLeft)[0];
  auto total = [&](Value x) { return sum(sum(x)); };
  Value isDiagonal = triangle(EQ, shapeOf(q.topLeft)), none = t.real(part, 0, shapeOf(q.topLeft));
  Value beside = add(total(squared(q.topRight)), total(squared(q.bottomLeft))), on;
  for (Value quadrant : {q.topLeft, q.bottomRight}) {
    Value squares = squared(quadrant);
    beside = add(beside, total(t.select(isDiagonal, none, squares)));
    Value values = total(t.select(isDiagonal, squares, none));
    on = on ? add(on, values) : values;
  }
  double limit = std::max(settings.tolerance, 0.0);
  const llvm::fltSemantics &semantics = cast<FloatType>(part).getFloatSemantics();
  limit = std::min(limit, std::ldexp(1.0, 3 - int(APFloat::semanticsPrecision(semantics))));
  Value most = multiply(add(beside, on), t.real(part, limit * limit, {batch}));
  Value isLeft = t.compare(GT, beside, most);
  Type i1 = t.b.getI1Type();
  return t.apply<NotOp>(t.reduce<OrOp>(isLeft, t.number(i1, 0), {0}));
}

Quadrants Jacobi::iterate(const Quadrants &start) {
  SmallVector<Value> carried = {t.number(i32, 0), hasConverged(start)};
  llvm::append_range(carried, start.values());
  auto isLeft = [&](ValueRange now) {
    Value isAllowed = t.compare(LT, now[0], t.number(i32, settings.mostSweeps));
    return both(isAllowed, t.apply<NotOp>(now[1]));
  };
  return Quadrants(ValueRange(t.loop(carried, isLeft, [&](ValueRange now) {
                     SmallVector<Value> swept =
                         t.repeat(2 * half - 1, now.drop_front(2), [&](Value, ValueRange values) {
                           return nextPairs(rotated(Quadrants(values))).values();
                         });
                     SmallVector<Value> next = {add(now[0], t.number(i32, 1)),
                                                hasConverged(Quadrants(swept))};
                     llvm::append_range(next, swept);
                     return next;
                   })).drop_front(2));
}

/// Sorts ascending eigenvalues, [batch, n], and the rows of their eigenvectors.
void Jacobi::sort(Value &eigenvalues, Value &vectors) {
  Value inputs[] = {eigenvalues, t.iota(i32, shapeOf(eigenvalues), 1)};
  SmallVector<Value> sorted = t.sort(
      inputs, /*dim=*/1, [&](ValueRange x, ValueRange y) { return t.compare(LT, x[0], y[0]); });
  eigenvalues = sorted[0];
  vectors = rowsInOrder(vectors, sorted[1]);
}

// Matrices are scaled to at most 1, so that squares do not overflow. One of odd size gets a row and
// a column of zeros, which no rotation changes.
std::pair<Value, Value> Jacobi::decompose(Value a) {
  int64_t batch = shapeOf(a)[0], padded = 2 * half, missing = padded - n;
  SmallVector<int64_t> whole = {batch, padded, padded}, each = {batch};
  a = t.pad(hermitian(a), t.real(element, 0), {0, 0, 0}, {0, missing, missing}, {0, 0, 0});
  Value scale = t.reduce<MaxOp>(largest(a), t.real(part, 0), {1});
  Value isZero = t.compare(EQ, scale, t.real(part, 0, each));
  Value divisor = t.select(isZero, t.real(part, 1, each), scale);
  a = divide(a, t.spread(fromReal(divisor), whole, {0}));
  auto quadrant = [&](int64_t row, int64_t column) {
    return block(a, row * half, half, column * half, half);
  };
  Value vectors = identity(whole);
  Quadrants end =
      iterate(Quadrants({quadrant(0, 0), quadrant(0, 1), quadrant(1, 0), quadrant(1, 1),
                         t.slice(vectors, 1, 0, half), t.slice(vectors, 1, half, half)}));

  Value eigenvalues =
      t.concatenate({realPart(diagonal(end.topLeft)), realPart(diagonal(end.bottomRight))}, 1);
  eigenvalues = t.slice(eigenvalues, 1, 0, n);
  eigenvalues = multiply(eigenvalues, t.spread(divisor, {batch, n}, {0}));
  vectors = t.concatenate({end.topVectors, end.bottomVectors}, 1);
  vectors = block(vectors, 0, n, 0, n);
  // Matrices that are not finite have no eigenvalues.
  Value isFinite =
      t.compare(LT, scale, t.real(part, std::numeric_limits<double>::infinity(), each));
  double nan = std::numeric_limits<double>::quiet_NaN();
  eigenvalues =
      t.select(t.spread(isFinite, {batch, n}, {0}), eigenvalues, t.real(part, nan, {batch, n}));
  vectors = t.select(t.spread(isFinite, shapeOf(vectors), {0}), vectors,
                     t.real(element, nan, shapeOf(vectors)));
  if (settings.isSorted)
    sort(eigenvalues, vectors);
  return {eigenvalues, vectors};
}

} // namespace

SmallVector<Value> expandEigh(CustomCallOp op) {
  std::optional<Settings> settings = settingsOf(op);
  if (!settings || op.getNumOperands() != 1 || op.getNumResults() != 2)
    return {};
  auto type = cast<RankedTensorType>(op.getOperandTypes()[0]);
  ArrayRef<int64_t> shape = type.getShape();
  if (!isFactored(type.getElementType()) || shape.size() < 2 || shape.end()[-1] != shape.end()[-2])
    return {};
  Jacobi jacobi(op, *settings, shape.back());
  if (op.getResultTypes()[0] != type ||
      op.getResultTypes()[1] != RankedTensorType::get(shape.drop_back(), jacobi.part))
    return {};
  if (type.getNumElements() == 0)
    return {op.getInputs()[0], jacobi.t.real(jacobi.part, 0, shape.drop_back())};
  auto [eigenvalues, vectors] = jacobi.decompose(jacobi.batched(op.getInputs()[0]));
  return {jacobi.t.reshape(jacobi.swap(vectors), shape),
          jacobi.t.reshape(eigenvalues, shape.drop_back())};
}

} // namespace systole::expansion
