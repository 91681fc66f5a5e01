// Expressions of a kernel that are computed once.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/SharedExpressions.h"

#include "compiler/Model/OpCosts.h"
#include "compiler/Planning/GroupTensors.h"
#include "compiler/Tensor/OpKinds.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace systole {

namespace {

/// Whether repeating an expression takes more instructions than a stage of its own and reading its
/// result back: a store, a load, and the loads of what it is computed from. Either way gives the
/// same bits.
bool isLong(Operation *op, llvm::function_ref<bool(Operation *)> isInside) {
  int instructions = 0;
  SmallVector<Operation *> worklist = {op};
  llvm::SmallPtrSet<Operation *, 16> seen = {op};
  llvm::SmallPtrSet<Value, 8> loaded;
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    OpCost cost = opCost(next);
    if (cost.trips > 0)
      return true;
    instructions += cost.all.vector() + cost.all.eup + cost.all.eupLong;
    for (Value operand : next->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || !isInside(producer) || !isExpression(producer))
        loaded.insert(operand);
      else if (seen.insert(producer).second)
        worklist.push_back(producer);
    }
  }
  return instructions > static_cast<int>(loaded.size()) + 2;
}

/// The stages that compute an expression: none, one, or several. The stage of results that are
/// computed at the end has no operation.
struct Stages {
  bool isAny = false, areSeveral = false;
  Operation *only = nullptr;

  void add(Operation *stage) {
    areSeveral |= isAny && only != stage;
    only = stage;
    isAny = true;
  }
  void add(const Stages &other) {
    if (other.isAny)
      add(other.only);
    areSeveral |= other.areSeveral;
  }
};

} // namespace

llvm::SmallDenseSet<Value, 4> sharedExpressions(ArrayRef<Operation *> ops,
                                                llvm::function_ref<bool(Value)> leaves) {
  llvm::SmallDenseSet<Value, 4> shared;
  llvm::SmallDenseMap<Operation *, Stages, 32> stages; // of all results
  llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  auto isInside = [&](Operation *op) { return inside.contains(op); };
  for (Operation *op : llvm::reverse(ops)) {
    if (!isExpression(op))
      continue;
    Stages all;
    for (OpResult result : op->getResults()) {
      Stages own;
      bool isLeaf = leaves(result);
      if (isLeaf)
        own.add(static_cast<Operation *>(nullptr));
      for (Operation *user : result.getUsers()) {
        if (!isInside(user))
          continue;
        if (isExpression(user))
          own.add(stages.lookup(user));
        else
          own.add(user);
      }
      bool isShared =
          isLeaf && own.areSeveral && kindOf(op) == OpKind::Elementwise && isLong(op, isInside);
      if (isShared)
        shared.insert(result);
      if (isShared || wantsBuffer(result, isInside, isLeaf)) {
        own = {};
        own.add(op);
      }
      all.add(own);
    }
    stages[op] = all;
  }
  return shared;
}

} // namespace systole
