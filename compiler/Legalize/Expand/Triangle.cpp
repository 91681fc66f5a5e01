// Solves triangular systems.
//
// A matrix larger than a panel is solved panel by panel; the contribution of one panel's unknowns
// to the others is a product for the MXUs. All diagonal panels are inverted at once. The solution
// from an inverse is refined once by its residual: as accurate as substitution, unless the
// condition number of a panel is beyond the range of f32.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Expand/Matrices.h"

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
  SmallVector<Value> each;
  for (int64_t first = 0; first < n; first += panel)
    each.push_back(m.block(a, first, panel, first, panel));
  panels = m.t.concatenate(each, 0);
  inverses = substitute(panels, m.identity(shapeOf(panels)));
}

// A loop, so that there is one routine for all panels.
Value Triangle::solvePanels(Value columns, int64_t first, int64_t size) {
  int64_t count = size / panel;
  Value swapped = m.swap(m.block(a, first, size, first, size)), width = m.t.number(m.i32, panel);
  SmallVector<int64_t> shape(shapeOf(columns));
  return m.t.repeat(count, columns, [&](Value i, ValueRange now) -> SmallVector<Value> {
    Value number = isLower ? i : m.subtract(m.t.number(m.i32, count - 1), i);
    Value row = m.multiply(number, width);
    auto ofPanel = [&](Value all) {
      Value before = m.add(number, m.t.number(m.i32, first / panel));
      return m.span(all, 0, m.multiply(before, m.t.number(m.i32, batch)), batch);
    };
    Value inverse = ofPanel(inverses), right = m.rows(now[0], row, panel);
    Value x = m.product(inverse, right);
    Value left = m.subtract(right, m.product(ofPanel(panels), x));
    x = m.add(x, m.product(inverse, left));
    Value rest = m.subtract(now[0], m.productOfSwapped(m.rows(swapped, row, panel), x));
    Value isLater = isLower ? m.rowsAre(GE, shape, m.add(row, width)) : m.rowsAre(LT, shape, row);
    return {m.withRows(m.t.select(isLater, rest, now[0]), row, x)};
  })[0];
}

Value Triangle::solve(Value columns, int64_t first, int64_t size) {
  // A loop subtracts each panel from all equations, which takes up to twice the products. More
  // equations are solved in two halves, whose loops share routines.
  if (size <= kSubstitutedRows)
    return solvePanels(columns, first, size);
  int64_t half = firstPart(size), rest = size - half, middle = first + half;
  Value low = m.t.slice(columns, 1, 0, half), high = m.t.slice(columns, 1, half, rest);
  if (isLower) {
    low = solve(low, first, half);
    high = m.subtract(high, m.product(m.block(a, middle, rest, first, half), low));
    high = solve(high, middle, rest);
  } else {
    high = solve(high, middle, rest);
    low = m.subtract(low, m.product(m.block(a, first, half, middle, rest), high));
    low = solve(low, first, half);
  }
  return m.t.concatenate({low, high}, 1);
}

Value Triangle::solve(Value columns) {
  SmallVector<int64_t> shape(shapeOf(columns));
  if (llvm::is_contained(shape, 0))
    return columns;
  if (n <= kPanel && shape[2] <= kSubstitutedRows)
    return substitute(a, columns);
  if (!isUnit)
    normalize();
  if (diagonal)
    columns = m.divide(columns, m.t.spread(diagonal, shape, {0, 1}));
  const int64_t missing = llvm::alignTo(n, panel) - n;
  a = m.filledUp(a, n + missing);
  columns = m.t.pad(columns, m.t.real(m.element, 0), {0, 0, 0}, {0, missing, 0}, {0, 0, 0});
  n += missing;
  invert();
  return m.t.slice(solve(columns, 0, n), 1, 0, n - missing);
}

Value expandTriangularSolve(TriangularSolveOp op) {
  Matrices m(op);
  // The rows of x op(a) = b are op(a)' x' = b'.
  bool isLeft = op.getLeftSide(),
       isSwapped = isLeft == (op.getTransposeA() != Transpose::NO_TRANSPOSE);
  Value a = m.batched(op.getA()), b = m.batched(op.getB());
  Triangle triangle(m, isSwapped ? m.swap(a) : a, op.getLower() != isSwapped, op.getUnitDiagonal());
  Value x = triangle.solve(isLeft ? b : m.swap(b));
  x = m.t.convert(isLeft ? x : m.swap(x), op.getType().getElementType());
  return m.t.reshape(x, op.getType().getShape());
}

} // namespace systole::expansion
