// Relations of operations on small arrays, evaluated point by point.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RelationFixture.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace systole::test {

int64_t count(const Ints &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

int64_t place(const Ints &shape, const Ints &index) {
  int64_t result = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    result = result * shape[d] + index[d];
  return result;
}

void forEachIndex(const Ints &shape, const std::function<void(const Ints &)> &visit) {
  Ints index(shape.size());
  for (int64_t i = 0, n = count(shape); i < n; ++i) {
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      index[d] = rest % shape[d];
    visit(index);
  }
}

int64_t evaluate(AffineExpr expr, const Ints &point) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return point[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), point), rhs = evaluate(binary.getRHS(), point);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(lhs, rhs);
  case AffineExprKind::Mod:
    return lhs - rhs * llvm::divideFloorSigned(lhs, rhs);
  default:
    llvm_unreachable("no expression of a relation");
  }
}

RelationFixture::RelationFixture() : b(&context), loc(b.getUnknownLoc()) {
  context.loadDialect<stablehlo::StableHLODialect>();
  b.setInsertionPointToEnd(&block);
}

RankedTensorType RelationFixture::type(const Ints &shape) {
  return RankedTensorType::get(shape, b.getF32Type());
}
Value RelationFixture::tensor(const Ints &shape) { return block.addArgument(type(shape), loc); }
Value RelationFixture::index() {
  return block.addArgument(RankedTensorType::get({}, b.getI32Type()), loc);
}

std::vector<std::vector<Reads>> RelationFixture::readsOf(Operation *op, const StartOf &start) {
  std::optional<OperandRelation> relation = relationOf(op);
  if (!relation || relation->operands.size() != op->getNumOperands()) {
    ADD_FAILURE() << "no relation of all operands";
    return {};
  }
  Ints extents, result(cast<RankedTensorType>(op->getResult(0).getType()).getShape());
  for (const Iterator &iterator : relation->iterators)
    extents.push_back(iterator.extent);
  EXPECT_EQ(relation->resultRank(), result.size());
  EXPECT_EQ(Ints(extents.begin(), extents.begin() + result.size()), result);

  std::vector<std::vector<Reads>> all(count(result));
  forEachIndex(extents, [&](const Ints &point) {
    Reads reads;
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      Ints shape(cast<RankedTensorType>(operand.getType()).getShape()), index;
      bool exists = true;
      for (auto [d, dim] : llvm::enumerate(relation->operands[number].dims)) {
        int64_t i = evaluate(dim.expr, point);
        exists &= i % dim.dilation == 0;
        i /= dim.dilation;
        if (dim.kind == IndexRelation::Computed)
          i += start(number, d, point);
        exists &= i >= 0 && i < shape[d];
        index.push_back(i);
      }
      reads.push_back(exists ? place(shape, index) : kNothing);
    }
    Ints element(point.begin(), point.begin() + result.size());
    all[place(result, element)].push_back(std::move(reads));
  });
  return all;
}

int64_t RelationFixture::random(int64_t from, int64_t to) {
  return std::uniform_int_distribution<int64_t>(from, to)(engine);
}

Ints RelationFixture::randomShape(int64_t rank, int64_t from, int64_t to) {
  Ints shape(rank);
  for (int64_t &size : shape)
    size = random(from, to);
  return shape;
}

Ints RelationFixture::randomOrder(int64_t size) {
  Ints order(size);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), engine);
  return order;
}

} // namespace systole::test
