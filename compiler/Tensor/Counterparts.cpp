// Values of a body that are computed alike from different arguments.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/Counterparts.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

static bool commutes(Operation *op) {
  if (auto compare = dyn_cast<CompareOp>(op))
    return compare.getComparisonDirection() == ComparisonDirection::EQ ||
           compare.getComparisonDirection() == ComparisonDirection::NE;
  return op->hasTrait<stablehlo::OpTrait::Commutative>();
}

bool Counterparts::contain(Value x, Value y) {
  auto [entry, isNew] = known.try_emplace({x, y}, false);
  if (!isNew)
    return entry->second;
  bool result = compare(x, y);
  known[{x, y}] = result;
  return result;
}

bool Counterparts::compare(Value x, Value y) {
  if (x.getParentBlock() != &body || y.getParentBlock() != &body)
    return x == y;
  auto a = dyn_cast<BlockArgument>(x), b = dyn_cast<BlockArgument>(y);
  if (a || b)
    return a && b && partnerOf(a.getArgNumber()) == b.getArgNumber();
  Operation *p = x.getDefiningOp(), *q = y.getDefiningOp();
  if (p->getName() != q->getName() || p->getAttrDictionary() != q->getAttrDictionary() ||
      x.getType() != y.getType() || p->getNumOperands() != q->getNumOperands() ||
      p->getNumRegions() > 0)
    return false;
  if (llvm::all_of(llvm::zip_equal(p->getOperands(), q->getOperands()),
                   [&](auto pair) { return contain(std::get<0>(pair), std::get<1>(pair)); }))
    return true;
  return commutes(p) && contain(p->getOperand(0), q->getOperand(1)) &&
         contain(p->getOperand(1), q->getOperand(0));
}

} // namespace systole
