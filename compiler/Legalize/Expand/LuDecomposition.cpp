// LU decomposition with partial pivoting.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Expand/Matrices.h"

#include <limits>

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;
using enum ComparisonDirection;

namespace {

/// For matrices [batch, m, n]: L below the diagonal and U elsewhere; the row with which each row
/// was exchanged, [batch, min(m, n)]; and the row permutation, [batch, m].
struct Factors {
  Value packed, pivots, order;
};

class Decomposition {
public:
  explicit Decomposition(CustomCallOp op) : m(op) {}

  Factors factor(Value a);

  Matrices m;

private:
  Factors factorPanel(Value a);
  SmallVector<Value> factorColumn(Value j, Value columns, Value pivots, Value order);
  Value exchanged(Value x, Value j, Value atJ, Value p, Value atP);
};

/// Exchanges elements p and j of the last dimension of x.
Value Decomposition::exchanged(Value x, Value j, Value atJ, Value p, Value atP) {
  ArrayRef<int64_t> shape = shapeOf(x);
  SmallVector<int64_t> outer = llvm::to_vector(llvm::seq<int64_t>(0, shape.size() - 1));
  x = m.t.select(m.indexMask(EQ, shape, p), m.t.spread(atJ, shape, outer), x);
  return m.t.select(m.indexMask(EQ, shape, j), m.t.spread(atP, shape, outer), x);
}

// Matrices are transposed, [batch, n, m], so that a column is along the lanes.
SmallVector<Value> Decomposition::factorColumn(Value j, Value columns, Value pivots, Value order) {
  SmallVector<int64_t> shape(shapeOf(columns)), rows = {shape[0], shape[2]}, each = {shape[0]};
  Value column = m.row(columns, j), index = m.t.iota(m.i32, rows, 1);
  // A NaN counts as the largest element, so that it propagates.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value size = m.magnitude(column);
  size = m.t.select(m.t.compare(EQ, size, size), size, m.t.real(m.part, infinity, rows));
  size = m.t.select(m.indexMask(GE, rows, j), size, m.t.real(m.part, -1, rows));
  Value most = m.t.reduce<MaxOp>(size, m.t.real(m.part, -1), {1});
  Value isMost = m.t.compare(EQ, size, m.t.spread(most, rows, {0}));
  Value last = m.t.number(m.i32, rows[1]);
  Value p = m.t.reduce<MinOp>(m.t.select(isMost, index, m.t.fill(last, rows)), last, {1});

  // Rows j and p of the matrix are columns of the transposed one.
  Value upper = m.at(columns, p);
  columns = exchanged(columns, j, m.at(columns, j), p, upper);
  Value pivot = m.at(column, p);
  column = exchanged(column, j, m.at(column, j), p, pivot);
  Value none = m.zero(each);
  Value divisor = m.t.select(m.t.compare(EQ, pivot, none), m.one(each), pivot);
  Value isBelow = m.indexMask(GT, rows, j);
  Value lower = m.t.select(isBelow, m.divide(column, m.t.spread(divisor, rows, {0})), column);
  Value isRest = m.both(m.rowsAre(GT, shape, j), m.t.spread(isBelow, shape, {0, 2}));
  Value rest = m.subtract(columns, m.outer(upper, lower, shape));
  columns = m.withRow(m.t.select(isRest, rest, columns), j, lower);

  auto placed = [&](Value x, Value at) {
    Value zero = m.t.number(m.i32, 0);
    Value found = m.t.select(m.indexMask(EQ, shapeOf(x), at), x, m.t.fill(zero, shapeOf(x)));
    return m.t.reduce<AddOp>(found, zero, {1});
  };
  order = exchanged(order, j, placed(order, j), p, placed(order, p));
  pivots =
      m.t.select(m.indexMask(EQ, shapeOf(pivots), j), m.t.spread(p, shapeOf(pivots), {0}), pivots);
  return {columns, pivots, order};
}

Factors Decomposition::factorPanel(Value a) {
  ArrayRef<int64_t> shape = shapeOf(a);
  int64_t count = std::min(shape[1], shape[2]);
  Value pivots = m.t.number(m.i32, 0, {shape[0], count});
  Value order = m.t.iota(m.i32, {shape[0], shape[1]}, 1);
  SmallVector<Value> done =
      m.t.repeat(count, {m.swap(a), pivots, order},
                 [&](Value j, ValueRange now) { return factorColumn(j, now[0], now[1], now[2]); });
  return {m.swap(done[0]), done[1], done[2]};
}

Factors Decomposition::factor(Value a) {
  int64_t batch = shapeOf(a)[0], rows = shapeOf(a)[1], columns = shapeOf(a)[2];
  if (columns <= kPanel || batch == 0 || rows == 0)
    return factorPanel(a);
  int64_t half = firstPart(columns), rest = columns - half, done = std::min(rows, half);
  Factors left = factor(m.block(a, 0, rows, 0, half));
  Value right = m.rowsInOrder(m.block(a, 0, rows, half, rest), left.order);
  Triangle triangle(m, m.block(left.packed, 0, done, 0, done), /*isLower=*/true, /*isUnit=*/true);
  Value upper = triangle.solve(m.block(right, 0, done, 0, rest));
  if (rows <= half)
    return {m.t.concatenate({left.packed, upper}, 2), left.pivots, left.order};

  int64_t under = rows - half;
  Value lower = m.block(left.packed, half, under, 0, half);
  Factors last = factor(m.subtract(m.block(right, half, under, 0, rest), m.product(lower, upper)));
  Value top = m.t.concatenate({m.block(left.packed, 0, half, 0, half), upper}, 2);
  Value bottom = m.t.concatenate({m.rowsInOrder(lower, last.order), last.packed}, 2);
  Value offset = m.t.number(m.i32, half, shapeOf(last.pivots));
  Value below = m.t.reshape(m.t.slice(left.order, 1, half, under), {batch, under, 1});
  below = m.t.reshape(m.rowsInOrder(below, last.order), {batch, under});
  return {m.t.concatenate({top, bottom}, 1),
          m.t.concatenate({left.pivots, m.add(last.pivots, offset)}, 1),
          m.t.concatenate({m.t.slice(left.order, 1, 0, half), below}, 1)};
}

} // namespace

SmallVector<Value> expandLuDecomposition(CustomCallOp op) {
  if (op.getNumOperands() != 1 || op.getNumResults() != 3)
    return {};
  auto type = cast<RankedTensorType>(op.getOperandTypes()[0]);
  ArrayRef<int64_t> shape = type.getShape();
  Type element = type.getElementType();
  if (!(isFactored(element) || element.isBF16() || element.isF16()) || shape.size() < 2)
    return {};
  Type i32 = IntegerType::get(op.getContext(), 32);
  SmallVector<int64_t> pivots(shape.drop_back()), order(shape.drop_back());
  pivots.back() = std::min(shape.end()[-2], shape.end()[-1]);
  if (op.getResultTypes()[0] != type ||
      op.getResultTypes()[1] != RankedTensorType::get(pivots, i32) ||
      op.getResultTypes()[2] != RankedTensorType::get(order, i32))
    return {};
  Decomposition decomposition(op);
  Matrices &m = decomposition.m;
  Factors factors = decomposition.factor(m.batched(op.getInputs()[0]));
  return {m.t.reshape(m.t.convert(factors.packed, element), shape),
          m.t.reshape(factors.pivots, pivots), m.t.reshape(factors.order, order)};
}

} // namespace systole::expansion
