// Sharding rules of factorizations, triangular systems and Fourier transforms.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/RuleBuilder.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

static constexpr int64_t kNone = RuleBuilder::kNone;

ShardingRule ruleOfCholesky(CholeskyOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getA());
  RuleBuilder rule(op);
  rule.addShape(shape.drop_back(2));
  for (size_t d = shape.size() - 2; d < shape.size(); ++d)
    rule.addToAll(int64_t(d), shape[d], FactorKind::NeedReplication);
  return rule.take();
}

/// The matrix's dimension that the right-hand side has, then that of the solution: on the right
/// side, behind the rows of both.
ShardingRule ruleOfTriangularSolve(TriangularSolveOp op) {
  ArrayRef<int64_t> a = shapeOf(op.getA()), b = shapeOf(op.getB());
  const auto row = int64_t(a.size()) - 2, column = row + 1;
  const bool isLeft = op.getLeftSide();
  const bool isTransposed =
      op.getTransposeA() == Transpose::TRANSPOSE || op.getTransposeA() == Transpose::ADJOINT;
  const int64_t free = isLeft == isTransposed ? column : row,
                contracted = free == row ? column : row;
  const int64_t solved = isLeft ? row : column, kept = isLeft ? column : row;
  RuleBuilder rule(op);
  rule.addShape(a.drop_back(2));
  auto addFree = [&] {
    rule.add({free, solved}, {kNone}, a[size_t(free)], FactorKind::NeedReplication);
  };
  auto addKept = [&] {
    rule.add({kNone, kept}, {kept}, b[size_t(kept)], FactorKind::NeedReplication);
  };
  if (isLeft) {
    addFree();
    addKept();
  } else {
    addKept();
    addFree();
  }
  rule.add({contracted, kNone}, {solved}, a[size_t(contracted)], FactorKind::NeedReplication);
  return rule.take();
}

/// Real transforms change the size of the last dimension.
ShardingRule ruleOfFft(FftOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op.getResult());
  const size_t batch = from.size() - op.getFftLength().size();
  RuleBuilder rule(op);
  for (auto [d, size] : llvm::enumerate(from)) {
    if (d < batch)
      rule.addToAll(int64_t(d), size);
    else
      rule.addToAll(int64_t(d), size, FactorKind::NeedReplication,
                    d + 1 == from.size() && from.back() != to.back());
  }
  return rule.take();
}

} // namespace systole::partition
