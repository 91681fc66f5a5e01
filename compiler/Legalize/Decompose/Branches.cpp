// Decomposes control flow in the bodies of reducers, sorts and scatters into selections.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Decompose/Decompose.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole::decomposition {

using namespace stablehlo;

/// Whether an operation is in the body of an operation on elements, not only of control flow.
static bool isInBody(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (!isa<IfOp, CaseOp, WhileOp, func::FuncOp, ModuleOp>(parent))
      return true;
  return false;
}

/// Moves a branch's operations before its operation. Returns the values that it yields.
static SmallVector<Value> inlineBranch(Operation *op, Region &branch) {
  Block &block = branch.front();
  SmallVector<Value> results(block.getTerminator()->getOperands());
  block.getTerminator()->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
  return results;
}

static void selectBranches(Operation *op) {
  SmallVector<SmallVector<Value>> branches;
  for (Region &branch : op->getRegions())
    branches.push_back(inlineBranch(op, branch));
  Tensors t(op);
  SmallVector<Value> results = branches.pop_back_val();
  // The last one is for all other numbers.
  while (!branches.empty()) {
    Value isChosen = op->getOperand(0);
    if (isa<CaseOp>(op))
      isChosen = t.compare(ComparisonDirection::EQ, isChosen,
                           t.number(t.b.getI32Type(), static_cast<int64_t>(branches.size()) - 1));
    for (auto [result, value] : llvm::zip_equal(results, branches.pop_back_val()))
      result = SelectOp::create(t.b, t.loc, isChosen, value, result);
  }
  op->replaceAllUsesWith(results);
  op->erase();
}

void decomposeBranches(Operation *root) {
  root->walk([](Operation *op) {
    if (isa<IfOp, CaseOp>(op) && isInBody(op))
      selectBranches(op);
  });
}

} // namespace systole::decomposition
