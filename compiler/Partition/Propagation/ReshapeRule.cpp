// The sharding rule of reshapes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/RuleBuilder.h"
#include "compiler/Tensor/TensorTypes.h"

#include <numeric>

using namespace mlir;

namespace systole::partition {

namespace {

/// One side of a reshape, whose dimensions are divided into factors from the major one on.
struct Side {
  explicit Side(ArrayRef<int64_t> shape) : shape(shape) {}

  ArrayRef<int64_t> shape;
  int64_t dim = 0;
  int64_t elements = 1; ///< the product of the sizes down to this dimension
  int64_t factors = 1;  ///< the product of the factors so far

  bool isAtEnd() const { return dim == int64_t(shape.size()); }
  bool isUnit() const { return !isAtEnd() && shape[size_t(dim)] == 1; }
  /// What is left of the dimension; 1 at the end.
  int64_t rest() const { return elements / factors; }
  void enter() {
    if (!isAtEnd() && elements == factors)
      elements *= shape[size_t(dim)];
  }
  void leave() {
    if (!isAtEnd() && elements == factors)
      ++dim;
  }
};

/// The next factor of the side that is behind: one that catches up with the other side, or else
/// leaves what the two have in common.
int64_t nextFactor(const Side &behind, const Side &ahead, int64_t common) {
  const int64_t rest = behind.rest();
  if (ahead.factors % behind.factors == 0 && rest % (ahead.factors / behind.factors) == 0)
    return ahead.factors / behind.factors;
  return rest > common ? rest / common : rest;
}

} // namespace

std::optional<ShardingRule> ruleOfReshape(stablehlo::ReshapeOp op) {
  if (typeOf(op.getOperand()).getNumElements() == 0)
    return std::nullopt;
  constexpr int64_t none = RuleBuilder::kNone;
  Side from(shapeOf(op.getOperand())), to(shapeOf(op.getResult()));
  RuleBuilder rule(op);
  auto addFrom = [&](int64_t size) {
    rule.add({from.dim}, {none}, size);
    from.factors *= size;
  };
  auto addTo = [&](int64_t size) {
    rule.add({none}, {to.dim}, size);
    to.factors *= size;
  };
  while (!from.isAtEnd() || !to.isAtEnd()) {
    if (from.isUnit()) {
      rule.add({from.dim++}, {none}, 1);
      continue;
    }
    if (to.isUnit()) {
      rule.add({none}, {to.dim++}, 1);
      continue;
    }
    from.enter();
    to.enter();
    const int64_t common = std::gcd(from.rest(), to.rest());
    if (from.factors < to.factors) {
      addFrom(nextFactor(from, to, common));
    } else if (to.factors < from.factors) {
      addTo(nextFactor(to, from, common));
    } else if (common > 1) {
      rule.add({from.dim}, {to.dim}, common);
      from.factors *= common;
      to.factors *= common;
    } else {
      // Sizes without a common divisor: the sides meet again behind both.
      const int64_t fromRest = from.rest(), toRest = to.rest();
      addFrom(fromRest);
      addTo(toRest);
    }
    from.leave();
    to.leave();
  }
  return rule.take();
}

} // namespace systole::partition
