// The operations of a reducer's body.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/StableHLO/Reducers.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace systole {

Operation *combinerOf(Block &body) {
  SmallVector<Operation *, 2> combiners = combinersOf(body);
  return combiners.size() == 1 ? combiners.front() : nullptr;
}

SmallVector<Operation *, 2> combinersOf(Block &body) {
  size_t inputs = body.getNumArguments() / 2;
  SmallVector<Operation *, 2> combiners;
  if (!llvm::hasNItems(body, inputs + 1) || body.back().getNumOperands() != inputs)
    return combiners;
  for (auto [number, result] : llvm::enumerate(body.back().getOperands())) {
    Operation *combiner = result.getDefiningOp();
    Value first = body.getArgument(number), second = body.getArgument(inputs + number);
    bool onBoth = combiner && combiner->getBlock() == &body && combiner->getNumOperands() == 2 &&
                  combiner->getNumResults() == 1 &&
                  llvm::is_contained(combiner->getOperands(), first) &&
                  llvm::is_contained(combiner->getOperands(), second);
    if (!onBoth)
      return {};
    combiners.push_back(combiner);
  }
  return combiners;
}

} // namespace systole
