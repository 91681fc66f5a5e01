// Cholesky decomposition.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Expand/Expand.h"
#include "compiler/Graph/Expand/Matrices.h"

#include <limits>

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;
using enum ComparisonDirection;

// Row j of the remainder, divided by the square root of its diagonal element, is a row of the
// transposed factor. Its outer product is subtracted from all later rows, which remain symmetric.
static Value factorPanel(Matrices &m, Value a) {
  SmallVector<int64_t> shape(shapeOf(a)), rows = {shape[0], shape[1]};
  Value symmetric = m.t.select(m.triangle(GE, shape), a, m.swap(a));
  Value factor = m.t.repeat(shape[1], symmetric, [&](Value j, ValueRange now) {
    Value row = m.row(now[0], j), root = m.t.apply<SqrtOp>(m.at(row, j));
    auto divided = [&](Value x) { return m.divide(x, m.t.spread(root, rows, {0})); };
    Value factorRow = m.t.select(m.indexMask(GE, rows, j), divided(row), m.zero(rows));
    Value rest = m.subtract(now[0], m.outer(divided(m.at(now[0], j)), factorRow, shape));
    Value next = m.t.select(m.rowsAre(GT, shape, j), rest, now[0]);
    return SmallVector<Value>{m.withRow(next, j, factorRow)};
  })[0];
  return m.t.select(m.triangle(GE, shape), m.swap(factor), m.zero(shape));
}

/// The lower factor of `a`, of which only the lower triangle is read.
static Value factorLower(Matrices &m, Value a) {
  int64_t batch = shapeOf(a)[0], n = shapeOf(a)[1];
  if (n <= kPanel)
    return factorPanel(m, a);
  int64_t half = firstPart(n), rest = n - half;
  Value first = factorLower(m, m.block(a, 0, half, 0, half));
  Triangle triangle(m, first, /*isLower=*/true, /*isUnit=*/false);
  Value below = triangle.solve(m.block(a, half, rest, 0, half));
  Value left = m.subtract(m.block(a, half, rest, half, rest), m.productWithSwapped(below, below));
  Value last = factorLower(m, left);
  Value top = m.t.concatenate({first, m.zero({batch, half, rest})}, 2);
  return m.t.concatenate({top, m.t.concatenate({below, last}, 2)}, 1);
}

Value expandCholesky(CholeskyOp op) {
  Matrices m(op);
  Value a = m.batched(op.getA());
  SmallVector<int64_t> shape(shapeOf(a));
  if (llvm::is_contained(shape, 0))
    return op.getA();
  Value factor = factorLower(m, op.getLower() ? a : m.swap(a));
  // Without positive definiteness the factor is NaN, as in LAPACK and in JAX on the CPU.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value diagonal = m.t.select(m.triangle(EQ, shape), factor, m.t.real(m.element, infinity, shape));
  Value least = m.t.reduce<MinOp>(diagonal, m.t.real(m.element, infinity), {1, 2});
  Value isDefinite = m.t.compare(GT, least, m.zero({shape[0]}));
  factor = m.t.select(m.t.spread(isDefinite, shape, {0}), factor,
                      m.t.real(m.element, std::numeric_limits<double>::quiet_NaN(), shape));
  factor = m.t.convert(op.getLower() ? factor : m.swap(factor), op.getType().getElementType());
  return m.t.reshape(factor, op.getType().getShape());
}

} // namespace systole::expansion
