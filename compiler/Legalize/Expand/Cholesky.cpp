// Cholesky decomposition.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Expand/Matrices.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;
using enum ComparisonDirection;

// Row j of the remainder, divided by the square root of its diagonal element, is a row of the
// transposed factor. Its outer product is subtracted from all later rows, which remain symmetric.
// Columns beside the matrix take part: those of the identity become the inverse of the factor.
static Value eliminate(Matrices &m, Value a) {
  SmallVector<int64_t> shape(shapeOf(a)), rows = {shape[0], shape[2]};
  return m.t.repeat(shape[1], a, [&](Value j, ValueRange now) {
    Value row = m.row(now[0], j), root = m.t.apply<SqrtOp>(m.at(row, j));
    auto divided = [&](Value x) { return m.divide(x, m.t.spread(root, shapeOf(x), {0})); };
    Value factorRow = m.t.select(m.indexMask(GE, rows, j), divided(row), m.zero(rows));
    Value rest = m.subtract(now[0], m.outer(divided(m.at(now[0], j)), factorRow, shape));
    Value next = m.t.select(m.rowsAre(GT, shape, j), rest, now[0]);
    return SmallVector<Value>{m.withRow(next, j, factorRow)};
  })[0];
}

// The rows of each panel become those of the transposed factor, and what they explain of the rest
// is subtracted from it: in a loop, so that there is one routine for all panels. Products with the
// inverse of the panel's factor are corrected once, as in Triangle.
static Value factorPanels(Matrices &m, Value a) {
  SmallVector<int64_t> shape(shapeOf(a)), rows = {shape[0], kPanel, shape[2]};
  Value width = m.t.number(m.i32, kPanel), identity = m.identity({shape[0], kPanel, kPanel});
  return m.t.repeat(shape[1] / kPanel, a, [&](Value i, ValueRange now) {
    Value first = m.multiply(i, width), right = m.rows(now[0], first, kPanel);
    Value both = m.t.concatenate({m.columns(right, first, kPanel), identity}, 2);
    both = eliminate(m, both);
    Value factor = m.t.slice(both, 2, 0, kPanel), inverse = m.t.slice(both, 2, kPanel, kPanel);
    Value x = m.product(inverse, right);
    Value left = m.subtract(right, m.productOfSwapped(factor, x));
    x = m.add(x, m.product(inverse, left));
    x = m.t.select(m.indexMask(GE, rows, m.add(first, width)), x, m.zero(rows));
    Value rest = m.subtract(now[0], m.productOfSwapped(x, x));
    return SmallVector<Value>{m.withRows(rest, first, m.withColumns(x, first, factor))};
  })[0];
}

/// The lower factor of `a`, of which only the lower triangle is read.
static Value factorLower(Matrices &m, Value a) {
  SmallVector<int64_t> shape(shapeOf(a));
  int64_t n = shape[1];
  Value factor = m.t.select(m.triangle(GE, shape), a, m.swap(a));
  if (n <= kPanel)
    factor = eliminate(m, factor);
  else
    factor = m.block(factorPanels(m, m.filledUp(factor, llvm::alignTo(n, kPanel))), 0, n, 0, n);
  return m.t.select(m.triangle(GE, shape), m.swap(factor), m.zero(shape));
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
