// Solves triangular systems.
//
// A matrix larger than a panel is solved in two halves; the contribution of one half's unknowns to
// the other is a product for the MXUs. All diagonal panels are inverted at once. The solution from
// an inverse is refined once by its residual: as accurate as substitution, unless the condition
// number of a panel is beyond the range of f32.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Expand/Expand.h"
#include "compiler/Graph/Expand/Matrices.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;
using enum ComparisonDirection;

/// The number of right-hand sides up to which a panel is small enough to be loop-carried.
constexpr int64_t kSubstitutedRows = 512;

Triangle::Triangle(Matrices &m, Value a, bool isLower, bool isUnit)
    : m(m), a(clean(m, a, isLower, isUnit)), isLower(isLower), isUnit(isUnit), batch(shapeOf(a)[0]),
      n(shapeOf(a)[1]), panel(std::min(n, kPanel)) {}

Value Triangle::clean(Matrices &m, Value a, bool isLower, bool isUnit) {
  ArrayRef<int64_t> shape = shapeOf(a);
  Value isInside = m.triangle(isLower ? (isUnit ? GT : GE) : (isUnit ? LT : LE), shape);
  return m.t.select(isInside, a, isUnit ? m.identity(shape) : m.zero(shape));
}

/// Solves T x = b for the columns b of [batch, n, k]. Each solved unknown is subtracted from the
/// later equations.
Value Triangle::substitute(Value matrix, Value columns) {
  int64_t size = shapeOf(matrix)[1];
  SmallVector<int64_t> shape(shapeOf(columns));
  return m.t.repeat(size, columns, [&](Value i, ValueRange now) -> SmallVector<Value> {
    Value j = isLower ? i : m.subtract(m.t.number(m.i32, size - 1), i);
    Value factors = m.at(matrix, j), x = m.row(now[0], j);
    if (!isUnit)
      x = m.divide(x, m.t.spread(m.at(factors, j), shapeOf(x), {0}));
    Value rest = m.subtract(now[0], m.outer(factors, x, shape));
    Value next = m.t.select(m.rowsAre(isLower ? GT : LT, shape, j), rest, now[0]);
    return {m.withRow(next, j, x)};
  })[0];
}

// Divides the equations by their diagonal first, so that no inverse has to represent the scale of
// the whole system.
void Triangle::normalize() {
  ArrayRef<int64_t> shape = shapeOf(a);
  diagonal = m.pick(m.triangle(EQ, shape), a);
  a = m.divide(a, m.t.spread(diagonal, shape, {0, 1}));
  isUnit = true;
}

void Triangle::invert() {
  // The padding of the last panel becomes the identity, with ones on the diagonal.
  int64_t count = llvm::divideCeil(n, panel), last = n - (count - 1) * panel;
  SmallVector<Value> panels;
  for (int64_t i = 0; i < count; ++i) {
    int64_t first = i * panel, size = i + 1 < count ? panel : last, missing = panel - size;
    panels.push_back(m.t.pad(m.block(a, first, size, first, size), m.t.real(m.element, 0),
                             {0, 0, 0}, {0, missing, missing}, {0, 0, 0}));
  }
  Value all = m.t.concatenate(panels, 0);
  Value inverted = substitute(all, m.identity(shapeOf(all)));
  for (int64_t i = 0; i < count; ++i) {
    int64_t size = i + 1 < count ? panel : last;
    inverses.push_back(m.block(m.t.slice(inverted, 0, i * batch, batch), 0, size, 0, size));
  }
}

Value Triangle::solvePanel(Value rows, int64_t number) {
  int64_t first = number * panel, size = shapeOf(rows)[2];
  Value x = m.productWithSwapped(rows, inverses[number]);
  Value left = m.subtract(rows, m.productWithSwapped(x, m.block(a, first, size, first, size)));
  return m.add(x, m.productWithSwapped(left, inverses[number]));
}

Value Triangle::solve(Value rows, int64_t first, int64_t size) {
  if (size <= kPanel)
    return solvePanel(rows, first / kPanel);
  int64_t half = firstPart(size), rest = size - half, middle = first + half;
  Value low = m.t.slice(rows, 2, 0, half), high = m.t.slice(rows, 2, half, rest);
  if (isLower) {
    low = solve(low, first, half);
    high = m.subtract(high, m.productWithSwapped(low, m.block(a, middle, rest, first, half)));
    high = solve(high, middle, rest);
  } else {
    high = solve(high, middle, rest);
    low = m.subtract(low, m.productWithSwapped(high, m.block(a, first, half, middle, rest)));
    low = solve(low, first, half);
  }
  return m.t.concatenate({low, high}, 2);
}

Value Triangle::solve(Value rows) {
  int64_t count = shapeOf(rows)[1];
  if (batch == 0 || n == 0 || count == 0)
    return rows;
  if (n <= kPanel && count <= kSubstitutedRows)
    return m.swap(substitute(a, m.swap(rows)));
  if (!isUnit)
    normalize();
  invert();
  if (diagonal)
    rows = m.divide(rows, m.t.spread(diagonal, shapeOf(rows), {0, 2}));
  return solve(rows, 0, n);
}

Value expandTriangularSolve(TriangularSolveOp op) {
  Matrices m(op);
  // The rows of x op(a) = b are op(a)' x' = b'.
  bool isLeft = op.getLeftSide(),
       isSwapped = isLeft == (op.getTransposeA() != Transpose::NO_TRANSPOSE);
  Value a = m.batched(op.getA()), b = m.batched(op.getB());
  Triangle triangle(m, isSwapped ? m.swap(a) : a, op.getLower() != isSwapped, op.getUnitDiagonal());
  Value x = triangle.solve(isLeft ? m.swap(b) : b);
  x = m.t.convert(isLeft ? m.swap(x) : x, op.getType().getElementType());
  return m.t.reshape(x, op.getType().getShape());
}

} // namespace systole::expansion
