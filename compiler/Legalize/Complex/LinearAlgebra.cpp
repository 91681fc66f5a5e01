// Rewrites factorizations and triangular systems of complex matrices as real ones of twice the
// size.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Complex/Splitter.h"

using namespace mlir;

namespace systole::complex {

using namespace stablehlo;
using namespace expansion;

namespace {

/// Matrices in the last two dimensions, as real ones in which a + bi is the block
///   a -b
///   b  a
/// so that sums and products are those of the complex ones.
class Embedding {
public:
  Embedding(Operation *op, int64_t rank) : t(op), rows(rank - 2), columns(rank - 1) {}

  /// The diagonal is real.
  Value embed(Value re, Value im) {
    ArrayRef<int64_t> shape = shapeOf(im);
    im = t.select(isDiagonal(shape), t.number(partType(im), 0, shape), im);
    Value upper = pairs(re, t.apply<NegOp>(im), columns), lower = pairs(im, re, columns);
    return pairs(upper, lower, rows);
  }
  /// Elements of `first` and `second` by turns along `dim`.
  Value pairs(Value first, Value second, int64_t dim) {
    SmallVector<int64_t> shape(shapeOf(first));
    shape[dim] *= 2;
    return t.reshape(t.stack({first, second}, dim + 1), shape);
  }
  /// Every other element along `dim`, from the first or the second one on.
  Value part(Value value, int64_t dim, int64_t start) {
    return t.slice(value, dim, start, shapeOf(value)[dim] / 2, /*stride=*/2);
  }
  Value transposed(Value value) {
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, columns + 1));
    std::swap(order[rows], order[columns]);
    return t.transpose(value, order);
  }
  Value isDiagonal(ArrayRef<int64_t> shape) {
    Type i32 = t.b.getI32Type();
    return t.compare(Tensors::Direction::EQ, t.iota(i32, shape, rows), t.iota(i32, shape, columns));
  }

  Tensors t;
  int64_t rows, columns;
};

// The factor of an embedded matrix is the embedded factor: that is triangular, since its diagonal
// is real, and there is only one.
LogicalResult cholesky(Splitter &s, Operation *op) {
  auto factor = cast<CholeskyOp>(op);
  Embedding e(op, typeOf(factor.getA()).getRank());
  SmallVector<Value> parts = s.planesOf(factor.getA());
  if (typeOf(factor.getA()).getNumElements() == 0) {
    s.setPlanes(factor.getResult(), parts);
    return success();
  }
  Value whole = e.embed(parts[0], parts[1]);
  Value real = CholeskyOp::create(e.t.b, e.t.loc, whole.getType(), whole, factor.getLowerAttr());
  Value half = e.part(real, e.columns, 0);
  s.setPlanes(factor.getResult(), {e.part(half, e.rows, 0), e.part(half, e.rows, 1)});
  return success();
}

/// The elements of the diagonal, in each row.
Value diagonal(Embedding &e, Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  Type part = partType(value);
  Value only = e.t.select(e.isDiagonal(shape), value, e.t.number(part, 0, shape));
  return e.t.reduce<AddOp>(only, e.t.number(part, 0), {e.columns});
}

Complex inRows(Embedding &e, Complex numbers, ArrayRef<int64_t> shape) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, e.columns));
  auto spread = [&](Real part) {
    return Real(e.t.b, e.t.loc, e.t.spread(part.value(), shape, dims));
  };
  return {spread(numbers.re), spread(numbers.im)};
}

// Rows are divided by the diagonal: the embedded matrix of ones is triangular, too.
LogicalResult triangularSolve(Splitter &s, Operation *op) {
  auto solve = cast<TriangularSolveOp>(op);
  Embedding e(op, typeOf(solve.getA()).getRank());
  OpBuilder &b = e.t.b;
  SmallVector<Value> a = s.planesOf(solve.getA()), x = s.planesOf(solve.getB());
  if (typeOf(solve.getB()).getNumElements() == 0) {
    s.setPlanes(solve.getResult(), x);
    return success();
  }
  bool isTransposed = solve.getTransposeA() != Transpose::NO_TRANSPOSE, isLower = solve.getLower();
  if (solve.getTransposeA() == Transpose::ADJOINT)
    a[1] = e.t.apply<NegOp>(a[1]);
  // x A = b is A' x' = b'.
  if (!solve.getLeftSide())
    x = {e.transposed(x[0]), e.transposed(x[1])};
  if (isTransposed == solve.getLeftSide()) {
    a = {e.transposed(a[0]), e.transposed(a[1])};
    isLower = !isLower;
  }
  Complex matrix = {Real(b, e.t.loc, a[0]), Real(b, e.t.loc, a[1])};
  Complex right = {Real(b, e.t.loc, x[0]), Real(b, e.t.loc, x[1])};
  if (!solve.getUnitDiagonal()) {
    Complex ones = {Real(b, e.t.loc, diagonal(e, a[0])), Real(b, e.t.loc, diagonal(e, a[1]))};
    matrix = divide(matrix, inRows(e, ones, shapeOf(a[0])));
    right = divide(right, inRows(e, ones, shapeOf(x[0])));
  }
  Value sides = e.pairs(right.re.value(), right.im.value(), e.rows);
  Value real = TriangularSolveOp::create(
      b, e.t.loc, sides.getType(), e.embed(matrix.re.value(), matrix.im.value()), sides,
      /*left_side=*/true, isLower, /*unit_diagonal=*/true, Transpose::NO_TRANSPOSE);
  SmallVector<Value> result = {e.part(real, e.rows, 0), e.part(real, e.rows, 1)};
  if (!solve.getLeftSide())
    result = {e.transposed(result[0]), e.transposed(result[1])};
  s.setPlanes(solve.getResult(), result);
  return success();
}

} // namespace

void addLinearAlgebra(RewriteTable &table) {
  table.add<CholeskyOp>(cholesky);
  table.add<TriangularSolveOp>(triangularSolve);
}

} // namespace systole::complex
