// Properties that follow from the indices of a relation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Relations/OperandRelation.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

namespace {

/// As AffineExpr::isFunctionOfDim, without an expression of the context that is the dimension.
bool isFunctionOf(AffineExpr expr, unsigned dim) {
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr))
    return isFunctionOf(binary.getLHS(), dim) || isFunctionOf(binary.getRHS(), dim);
  auto only = dyn_cast<AffineDimExpr>(expr);
  return only && only.getPosition() == dim;
}

/// The least and the largest value of an expression.
struct Range {
  int64_t first = 0, last = 0;
};

Range rangeOf(AffineExpr expr, ArrayRef<Iterator> iterators) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return {0, std::max<int64_t>(0, iterators[dim.getPosition()].extent - 1)};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Range left = rangeOf(binary.getLHS(), iterators), right = rangeOf(binary.getRHS(), iterators);
  // The right side of all but sums is a constant, of quotients and remainders a positive one.
  int64_t by = right.first;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return {left.first + right.first, left.last + right.last};
  case AffineExprKind::Mul:
    return {std::min(left.first * by, left.last * by), std::max(left.first * by, left.last * by)};
  case AffineExprKind::FloorDiv:
    return {llvm::divideFloorSigned(left.first, by), llvm::divideFloorSigned(left.last, by)};
  default:
    return {0, by - 1};
  }
}

/// `expr` as a multiple of an iterator and a rest without it.
struct Split {
  int64_t factor;
  AffineExpr rest;
};

std::optional<Split> split(AffineExpr expr, unsigned iterator) {
  MLIRContext *context = expr.getContext();
  if (!isFunctionOf(expr, iterator))
    return Split{0, expr};
  if (isa<AffineDimExpr>(expr))
    return Split{1, getAffineConstantExpr(0, context)};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<Split> left = split(binary.getLHS(), iterator);
  std::optional<Split> right = split(binary.getRHS(), iterator);
  if (!left || !right)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return Split{left->factor + right->factor, left->rest + right->rest};
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() != AffineExprKind::Mul || !by)
    return std::nullopt;
  return Split{left->factor * by.getValue(), left->rest * by};
}

} // namespace

int64_t BlockIndex::offset() const { return llvm::divideCeilSigned(first, den); }

int64_t BlockIndex::extra() const {
  int64_t step = std::abs(num);
  int64_t end = llvm::divideFloorSigned((den - 1) * step + last, den) + 1;
  // Between the elements of a dilated operand some of the iterator may meet nothing.
  return den == 1 ? end - offset() - step : std::max<int64_t>(0, end - offset() - step);
}

bool IndexRelation::dependsOn(unsigned iterator) const { return isFunctionOf(expr, iterator); }

bool OperandIndices::uses(unsigned iterator) const {
  return llvm::any_of(dims, [&](const IndexRelation &dim) { return dim.dependsOn(iterator); });
}

AffineMap OperandIndices::map(unsigned iterators, MLIRContext *context) const {
  return AffineMap::get(
      iterators, 0, llvm::map_to_vector(dims, [](const IndexRelation &dim) { return dim.expr; }),
      context);
}

unsigned OperandRelation::resultRank() const {
  return llvm::count_if(iterators,
                        [](const Iterator &it) { return it.kind == IteratorKind::Result; });
}

std::optional<BlockIndex> OperandRelation::blockOf(unsigned operand, int64_t dim,
                                                   unsigned iterator) const {
  const IndexRelation &index = operands[operand].dims[dim];
  AffineExpr expr = index.expr;
  int64_t den = index.dilation;
  if (auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
      quotient && expr.getKind() == AffineExprKind::FloorDiv && den == 1) {
    expr = quotient.getLHS();
    den = cast<AffineConstantExpr>(quotient.getRHS()).getValue();
  }
  std::optional<Split> parts = split(expr, iterator);
  if (!parts || parts->factor == 0 || index.kind != IndexRelation::Affine)
    return std::nullopt;
  Range rest = rangeOf(parts->rest, iterators);
  return BlockIndex{parts->factor, den, rest.first, rest.last};
}

std::optional<unsigned> OperandRelation::iteratorOf(unsigned operand, int64_t dim) const {
  const IndexRelation &index = operands[operand].dims[dim];
  if (index.kind != IndexRelation::Affine || index.dilation != 1)
    return std::nullopt;
  if (auto only = dyn_cast<AffineDimExpr>(index.expr))
    return only.getPosition();
  for (auto [number, iterator] : llvm::enumerate(iterators)) {
    if (iterator.extent == 1 || !index.dependsOn(number))
      continue;
    std::optional<Split> parts = split(index.expr, number);
    if (!parts || parts->factor != 1)
      return std::nullopt;
    Range rest = rangeOf(parts->rest, iterators);
    return rest.first == 0 && rest.last == 0 ? std::optional<unsigned>(number) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<int64_t> OperandRelation::dimOf(unsigned operand, unsigned iterator) const {
  for (size_t dim = 0; dim < operands[operand].dims.size(); ++dim)
    if (iteratorOf(operand, dim) == iterator)
      return dim;
  return std::nullopt;
}

} // namespace systole
