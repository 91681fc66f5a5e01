// Builds operations on batches of matrices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_EXPAND_MATRICES_H
#define SYSTOLE_COMPILER_LEGALIZE_EXPAND_MATRICES_H

#include "compiler/Tensor/Tensors.h"

namespace systole::expansion {

/// Columns or rows of matrices that the vector unit processes sequentially; the MXUs process the
/// rest.
inline constexpr int64_t kPanel = 128;

/// Arithmetic on batched matrices, [batch, m, n], before an operation: of f64 or complex numbers
/// for an operation on these, otherwise of f32. Products have full precision, whatever the
/// precision of others.
class Matrices {
public:
  using Value = mlir::Value;
  using Sizes = llvm::ArrayRef<int64_t>;

  explicit Matrices(mlir::Operation *op)
      : t(op), element(elementOf(op)), part(partOf(element)), i32(t.b.getI32Type()) {}

  /// Reshapes [..., m, n] to [batch, m, n] and converts to `element`.
  Value batched(Value matrices);

  Value zero(Sizes shape) { return t.real(element, 0, shape); }
  Value one(Sizes shape) { return t.real(element, 1, shape); }
  Value add(Value x, Value y) { return t.apply<stablehlo::AddOp>(x, y); }
  Value subtract(Value x, Value y) { return t.apply<stablehlo::SubtractOp>(x, y); }
  Value multiply(Value x, Value y) { return t.apply<stablehlo::MulOp>(x, y); }
  Value divide(Value x, Value y) { return t.apply<stablehlo::DivOp>(x, y); }
  Value both(Value x, Value y) { return t.apply<stablehlo::AndOp>(x, y); }
  /// The sum along the last dimension.
  Value sum(Value x) {
    return t.reduce<stablehlo::AddOp>(x, t.real(typeOf(x).getElementType(), -0.0),
                                      {typeOf(x).getRank() - 1});
  }
  /// The largest magnitude along the last dimension.
  Value largest(Value x) {
    return t.reduce<stablehlo::MaxOp>(magnitude(x), t.real(part, 0), {typeOf(x).getRank() - 1});
  }

  // Parts of numbers; a real one is its own real part and conjugate.
  bool isComplex() const { return element != part; }
  Value realPart(Value x) { return isComplex() ? partOf<stablehlo::RealOp>(x) : x; }
  Value conjugate(Value x);
  /// Real numbers as `element`.
  Value fromReal(Value x);
  /// The larger of the magnitudes of a number's parts.
  Value magnitude(Value x);
  /// The square of the absolute value.
  Value squared(Value x);

  Value swap(Value x) { return t.transpose(x, {0, 2, 1}); }
  Value block(Value x, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    return t.slice(t.slice(x, 1, row, rows), 2, column, columns);
  }
  /// The products x y, and x' y.
  Value product(Value x, Value y) { return contract(x, y, 2); }
  Value productOfSwapped(Value x, Value y) { return contract(x, y, 1); }

  /// A mask of the indices along the last dimension that compare with j, one or several.
  Value indexMask(stablehlo::ComparisonDirection direction, Sizes shape, Value j) {
    Value index = t.iota(i32, shape, static_cast<int64_t>(shape.size()) - 1);
    return t.compare(direction, index, atEach(j, shape));
  }
  /// A mask of the elements of [batch, m, n] whose row index compares with their column index.
  Value triangle(stablehlo::ComparisonDirection row, Sizes shape) {
    return t.compare(row, t.iota(i32, shape, 1), t.iota(i32, shape, 2));
  }
  Value identity(Sizes shape) {
    return t.select(triangle(stablehlo::ComparisonDirection::EQ, shape), one(shape), zero(shape));
  }
  /// Row j of each matrix: [batch, n].
  Value row(Value x, Value j);
  /// Element j along the last dimension, bit for bit: of [batch, m, n] column j, [batch, m].
  Value at(Value x, Value j);
  /// x with row j replaced by `value`.
  Value withRow(Value x, Value j, Value value);
  /// Permutes rows: row i becomes row order[i]; [batch, m, n], [batch, m].
  Value rowsInOrder(Value x, Value order);
  /// `count` rows, or columns, from `first` on.
  Value rows(Value x, Value first, int64_t count) { return span(x, 1, first, count); }
  Value columns(Value x, Value first, int64_t count) { return span(x, 2, first, count); }
  /// x with other rows, or columns, from `first` on.
  Value withRows(Value x, Value first, Value rows) { return withSpan(x, 1, first, rows); }
  Value withColumns(Value x, Value first, Value columns) { return withSpan(x, 2, first, columns); }
  /// [batch, n, n] filled up to [batch, size, size] with a part of the identity.
  Value filledUp(Value x, int64_t size);
  /// The outer product of a column and a row.
  Value outer(Value column, Value row, Sizes shape) {
    return multiply(t.spread(column, shape, {0, 1}), t.spread(row, shape, {0, 2}));
  }
  /// A mask of the rows of [batch, m, n] that compare with j.
  Value rowsAre(stablehlo::ComparisonDirection direction, Sizes shape, Value j) {
    return t.spread(indexMask(direction, shape.drop_back(), j), shape, {0, 1});
  }

  Tensors t;
  /// The element type of matrices, and that of its parts.
  mlir::Type element, part;
  mlir::Type i32;

  /// `count` elements along a dimension from `first` on, and x with others there.
  Value span(Value x, int64_t dim, Value first, int64_t count);
  Value withSpan(Value x, int64_t dim, Value first, Value span);
  /// The only element along the last dimension that `mask` selects, bit for bit.
  Value pick(Value mask, Value x);

private:
  static mlir::Type elementOf(mlir::Operation *op);
  static mlir::Type partOf(mlir::Type element) {
    auto complex = mlir::dyn_cast<mlir::ComplexType>(element);
    return complex ? complex.getElementType() : element;
  }
  template <typename Op> Value partOf(Value x) {
    return Op::create(t.b, t.loc, typeOf(x).clone(part), x);
  }
  Value complex(Value re, Value im) {
    return stablehlo::ComplexOp::create(t.b, t.loc, typeOf(re).clone(element), re, im);
  }
  Value contract(Value x, Value y, int64_t dimOfX);
  Value atEach(Value j, Sizes shape) {
    return typeOf(j).getRank() == 0 ? t.fill(j, shape) : t.spread(j, shape, {0});
  }
};

/// Triangular matrices, [batch, n, n] of element, prepared for solving.
class Triangle {
public:
  /// Reads the lower or upper triangle of `a`; the diagonal is ones if `isUnit`.
  Triangle(Matrices &m, mlir::Value a, bool isLower, bool isUnit);

  /// For each column b of [batch, n, k] the solution x of T x = b. May be called once.
  mlir::Value solve(mlir::Value columns);

private:
  static mlir::Value clean(Matrices &m, mlir::Value a, bool isLower, bool isUnit);
  mlir::Value substitute(mlir::Value matrix, mlir::Value columns);
  void normalize();
  void invert();
  mlir::Value solve(mlir::Value columns, int64_t first, int64_t size);
  mlir::Value solvePanels(mlir::Value columns, int64_t first, int64_t size);

  Matrices &m;
  mlir::Value a;
  bool isLower, isUnit;
  int64_t batch, n, panel;
  /// The divisors of normalized equations.
  mlir::Value diagonal;
  /// The diagonal panels and their inverses, [panels * batch, panel, panel].
  mlir::Value panels, inverses;
};

/// Whether matrices of an element type are factored in it: f32, f64 and complex numbers.
bool isFactored(mlir::Type element);

/// The size of the first of two parts of a dimension, in whole panels.
inline int64_t firstPart(int64_t size) { return (size / kPanel + 1) / 2 * kPanel; }

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_LEGALIZE_EXPAND_MATRICES_H
