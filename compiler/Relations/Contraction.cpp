// Products and convolutions of all kinds as one operation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Relations/Contraction.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {

std::optional<Contraction> contractionOf(Operation *op) {
  if (!isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op))
    return std::nullopt;
  Contraction contraction{*relationOf(op), {}, {}, {}, {}, {}};
  const OperandRelation &relation = contraction.relation;
  for (auto [number, iterator] : llvm::enumerate(relation.iterators)) {
    bool isLeft = relation.operands[0].uses(number), isRight = relation.operands[1].uses(number);
    auto &list = iterator.kind == IteratorKind::Tap       ? contraction.taps
                 : iterator.kind == IteratorKind::Reduced ? contraction.contracted
                 : isLeft && isRight                      ? contraction.batch
                 : isLeft                                 ? contraction.lhsFree
                                                          : contraction.rhsFree;
    list.push_back(number);
  }
  return contraction;
}

} // namespace systole
