// Makes operations on batches of matrices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_EXPAND_MATRICES_H
#define SYSTOLE_COMPILER_GRAPH_EXPAND_MATRICES_H

#include "compiler/Graph/Expand/Tensors.h"

namespace systole::expansion {

/// Columns or rows of matrices that are done one after the other on the vector unit; what is beyond
/// them, the arrays do.
inline constexpr int64_t kPanel = 128;

/// Arithmetic of f32 on matrices of one batch, [batch, m, n], before an operation. Products are as
/// exact as f32 is, whatever precision others have.
class Matrices {
public:
  using Value = mlir::Value;
  using Sizes = llvm::ArrayRef<int64_t>;

  explicit Matrices(mlir::Operation *op) : t(op), f32(t.b.getF32Type()), i32(t.b.getI32Type()) {}

  /// [..., m, n] as [batch, m, n] of f32.
  Value batched(Value matrices);

  Value zero(Sizes shape) { return t.real(f32, 0, shape); }
  Value one(Sizes shape) { return t.real(f32, 1, shape); }
  Value add(Value x, Value y) { return t.apply<stablehlo::AddOp>(x, y); }
  Value subtract(Value x, Value y) { return t.apply<stablehlo::SubtractOp>(x, y); }
  Value multiply(Value x, Value y) { return t.apply<stablehlo::MulOp>(x, y); }
  Value divide(Value x, Value y) { return t.apply<stablehlo::DivOp>(x, y); }
  Value both(Value x, Value y) { return t.apply<stablehlo::AndOp>(x, y); }
  /// Along the last dimension.
  Value sum(Value x) {
    return t.reduce<stablehlo::AddOp>(x, t.real(f32, -0.0), {typeOf(x).getRank() - 1});
  }
  Value largest(Value x) {
    return t.reduce<stablehlo::MaxOp>(t.apply<stablehlo::AbsOp>(x), t.real(f32, 0),
                                      {typeOf(x).getRank() - 1});
  }

  Value swap(Value x) { return t.transpose(x, {0, 2, 1}); }
  Value block(Value x, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    return t.slice(t.slice(x, 1, row, rows), 2, column, columns);
  }
  /// x y, and x y'.
  Value product(Value x, Value y) { return contract(x, y, 1); }
  Value productWithSwapped(Value x, Value y) { return contract(x, y, 2); }

  /// Which places along the last dimension are `direction` place j, a scalar or one for each.
  Value places(stablehlo::ComparisonDirection direction, Sizes shape, Value j) {
    Value place = t.iota(i32, shape, static_cast<int64_t>(shape.size()) - 1);
    return t.compare(direction, place, atEach(j, shape));
  }
  /// Which elements of [batch, m, n] are in rows that are `row` their column.
  Value triangle(stablehlo::ComparisonDirection row, Sizes shape) {
    return t.compare(row, t.iota(i32, shape, 1), t.iota(i32, shape, 2));
  }
  Value identity(Sizes shape) {
    return t.select(triangle(stablehlo::ComparisonDirection::EQ, shape), one(shape), zero(shape));
  }
  /// Row j of each matrix: [batch, n].
  Value row(Value x, Value j);
  /// What is at place j of the last dimension, bit by bit: of [batch, m, n] column j, [batch, m].
  Value at(Value x, Value j);
  /// x with `value` in row j.
  Value withRow(Value x, Value j, Value value);
  /// Elements of a column and of a row, multiplied.
  Value outer(Value column, Value row, Sizes shape) {
    return multiply(t.spread(column, shape, {0, 1}), t.spread(row, shape, {0, 2}));
  }
  /// Which rows of [batch, m, n] are `direction` row j.
  Value rowsAre(stablehlo::ComparisonDirection direction, Sizes shape, Value j) {
    return t.spread(places(direction, shape.drop_back(), j), shape, {0, 1});
  }

  Tensors t;
  mlir::Type f32, i32;

private:
  Value contract(Value x, Value y, int64_t dimOfY);
  Value atEach(Value j, Sizes shape) {
    return typeOf(j).getRank() == 0 ? t.fill(j, shape) : t.spread(j, shape, {0});
  }
};

/// Triangular matrices, [batch, n, n] of f32, and what it takes to solve with them.
class Triangle {
public:
  /// Reads the lower or upper triangle of `a`; the diagonal is ones if `isUnit`.
  Triangle(Matrices &m, mlir::Value a, bool isLower, bool isUnit);

  /// For each row b of [batch, k, n] the x with T x = b. To be called once.
  mlir::Value solve(mlir::Value rows);

private:
  static mlir::Value clean(Matrices &m, mlir::Value a, bool isLower, bool isUnit);
  mlir::Value substitute(mlir::Value matrix, mlir::Value columns);
  void normalize();
  void invert();
  mlir::Value solve(mlir::Value rows, int64_t first, int64_t size);
  mlir::Value solvePanel(mlir::Value rows, int64_t number);

  Matrices &m;
  mlir::Value a;
  bool isLower, isUnit;
  int64_t batch, n, panel;
  /// By which equations were divided, if they were.
  mlir::Value diagonal;
  /// Of the panels along the diagonal.
  llvm::SmallVector<mlir::Value> inverses;
};

/// The first of two parts of a dimension, in whole panels.
inline int64_t firstPart(int64_t size) { return (size / kPanel + 1) / 2 * kPanel; }

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_GRAPH_EXPAND_MATRICES_H
