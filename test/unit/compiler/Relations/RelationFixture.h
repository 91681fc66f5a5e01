// Relations of operations on small arrays, evaluated point by point.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_COMPILER_RELATIONS_RELATIONFIXTURE_H
#define SYSTOLE_TEST_UNIT_COMPILER_RELATIONS_RELATIONFIXTURE_H

#include "compiler/Relations/OperandRelation.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace systole::test {

using Ints = std::vector<int64_t>;

/// The number of elements of a shape, and the place of an element in row-major order.
int64_t count(const Ints &shape);
int64_t place(const Ints &shape, const Ints &index);
/// Calls `visit` with every index in `shape`, in row-major order.
void forEachIndex(const Ints &shape, const std::function<void(const Ints &)> &visit);

/// The value of an expression of iterators at a point.
int64_t evaluate(mlir::AffineExpr expr, const Ints &point);

/// The element of each operand that a point reads, by its place; kNothing where an operand takes no
/// part.
inline constexpr int64_t kNothing = -1;
using Reads = std::vector<int64_t>;

/// The start that the program computes for a dimension of an operand, at a point.
using StartOf = std::function<int64_t(unsigned operand, int64_t dim, const Ints &point)>;

class RelationFixture : public testing::Test {
protected:
  RelationFixture();

  mlir::Value tensor(const Ints &shape);
  mlir::Value index();
  mlir::RankedTensorType type(const Ints &shape);
  mlir::DenseI64ArrayAttr ref(const Ints &values) { return b.getDenseI64ArrayAttr(values); }

  /// Elements that `op` reads at each point of each element of its result: by place, one entry
  /// for each point.
  std::vector<std::vector<Reads>> readsOf(mlir::Operation *op, const StartOf &start = {});

  /// A number in [from, to].
  int64_t random(int64_t from, int64_t to);
  Ints randomShape(int64_t rank, int64_t from, int64_t to);
  /// The numbers below `size` in a random order.
  Ints randomOrder(int64_t size);

  mlir::MLIRContext context;
  mlir::Block block;
  mlir::OpBuilder b;
  mlir::Location loc;
  std::mt19937 engine{1};
};

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_COMPILER_RELATIONS_RELATIONFIXTURE_H
