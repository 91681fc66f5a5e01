// What the estimates of one group of operations share: expressions do not depend on blocks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/GroupCosts.h"

#include "compiler/Planning/SharedExpressions.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace systole {

GroupCosts::GroupCosts(ArrayRef<Operation *> ops, const MachineModel &model)
    : operations(ops), tensors(ops), model(model) {
  for (auto [number, op] : llvm::enumerate(ops))
    numbers[op] = number;
  auto isInside = [&](Operation *user) { return contains(user); };
  auto leaves = [&](Value value) { return tensors.outputs.contains(value); };
  auto shared = sharedExpressions(ops, leaves);
  for (Operation *op : ops) {
    bool isEmpty = llvm::all_of(op->getResults(), [](Value result) {
      return llvm::is_contained(typeOf(result).getShape(), 0);
    });
    Member &member = members.emplace_back(op, kindOf(op), isEmpty);
    member.cost = costOf(op);
    for (OpResult result : op->getResults())
      if (shared.contains(result) || wantsBuffer(result, isInside, leaves(result)))
        member.buffers.push_back(result);
  }
}

Arithmetic GroupCosts::longer(const Arithmetic &a, const Arithmetic &b) const {
  return model.arithmetic({}, b).chain > model.arithmetic({}, a).chain ? b : a;
}

OpCost GroupCosts::costOf(Operation *op) const {
  OpCost cost = opCost(op);
  auto elementwise = dyn_cast<kernel::ElementwiseOp>(op);
  if (!elementwise)
    return cost;
  llvm::DenseMap<Value, Arithmetic> chains;
  for (Operation &inner : elementwise.getOps()) {
    Arithmetic before;
    for (Value operand : inner.getOperands())
      before = longer(before, chains.lookup(operand));
    Arithmetic chain = before + opCost(&inner).chain;
    chains[inner.getResult(0)] = chain;
    cost.chain = longer(cost.chain, chain);
  }
  return cost;
}

const Expressions &GroupCosts::expressionsOf(ArrayRef<Value> values, ArrayRef<Value> defined) {
  auto &entries = known[values.front()];
  for (const std::unique_ptr<Expressions> &entry : entries)
    if (entry->values == values && entry->defined == defined)
      return *entry;
  return *entries.emplace_back(std::make_unique<Expressions>(collect(values, defined)));
}

namespace {

SmallVector<ExpressionAccess, 3> operandsOf(const ExpressionAccess &access) {
  const auto &[value, map] = access;
  Operation *op = value.getDefiningOp();
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    ExpressionAccess operand{broadcast.getOperand(), {}};
    for (auto [i, d] : llvm::enumerate(broadcast.getBroadcastDimensions()))
      operand.second.push_back(typeOf(broadcast.getOperand()).getDimSize(i) == 1 ? -1 : map[d]);
    return {operand};
  }
  if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op)) {
    // Only dimensions of size 1 come or go.
    SmallVector<int64_t, 4> kept;
    for (auto [d, size] : llvm::enumerate(typeOf(value).getShape()))
      if (size != 1)
        kept.push_back(map[d]);
    ExpressionAccess operand{reshape.getOperand(), {}};
    auto *next = kept.begin();
    for (int64_t size : typeOf(reshape.getOperand()).getShape())
      operand.second.push_back(size == 1 ? -1 : *next++);
    return {operand};
  }
  SmallVector<ExpressionAccess, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back({operand, map});
  return operands;
}

} // namespace

Expressions GroupCosts::collect(ArrayRef<Value> values, ArrayRef<Value> defined) const {
  Expressions found;
  found.values.assign(values.begin(), values.end());
  found.defined.assign(defined.begin(), defined.end());
  llvm::SmallPtrSet<Value, 32> buffers(tensors.inputs.begin(), tensors.inputs.end());
  buffers.insert(defined.begin(), defined.end());
  SmallVector<int64_t, 4> identity =
      llvm::to_vector<4>(llvm::seq<int64_t>(0, typeOf(values.front()).getRank()));
  SmallVector<Expressions::Leaf> worklist;
  llvm::DenseMap<Operation *, SmallVector<SmallVector<int64_t, 4>, 1>> visited;
  SmallVector<size_t> evaluated; // operations
  for (Value value : values)
    worklist.push_back({{value, identity}, nullptr});
  while (!worklist.empty()) {
    Expressions::Leaf leaf = worklist.pop_back_val();
    const ExpressionAccess &access = leaf.access;
    auto number = numbers.find(access.first.getDefiningOp());
    if (buffers.contains(access.first) || number == numbers.end()) {
      if (!llvm::is_contained(found.leaves, leaf))
        found.leaves.push_back(leaf);
      continue;
    }
    // Results of one operation are computed together.
    auto &maps = visited[access.first.getDefiningOp()];
    if (llvm::is_contained(maps, access.second))
      continue;
    maps.push_back(access.second);
    const auto &[op, kind, isEmpty, buffered, cost] = members[number->second];
    if (auto iota = dyn_cast<stablehlo::IotaOp>(op)) {
      int64_t dim = access.second[iota.getIotaDimension()];
      if (dim >= 0 && !llvm::is_contained(found.pinned, dim))
        found.pinned.push_back(dim);
      // The index, where the block begins, and its type.
      bool converts = !typeOf(iota.getResult()).getElementType().isInteger(32);
      found.body.all = found.body.all + Arithmetic{2, 0, converts};
    }
    evaluated.push_back(number->second);
    found.body.all = found.body.all + cost.all;
    found.body.loop = found.body.loop + cost.loop;
    found.body.loopChain = found.body.loopChain + cost.loopChain;
    found.body.trips = std::max(found.body.trips, cost.trips);
    for (auto [i, operand] : llvm::enumerate(operandsOf(access)))
      worklist.push_back({operand, &op->getOpOperand(i)});
  }
  // The longest chain, in program order.
  llvm::sort(evaluated);
  evaluated.erase(llvm::unique(evaluated), evaluated.end());
  llvm::DenseMap<Value, std::pair<double, Arithmetic>> chains;
  std::pair<double, Arithmetic> longest{0, {}};
  for (size_t number : evaluated) {
    Operation *op = members[number].op;
    std::pair<double, Arithmetic> before{0, {}};
    for (Value operand : op->getOperands())
      if (auto it = chains.find(operand); it != chains.end() && it->second.first > before.first)
        before = it->second;
    Arithmetic chain = before.second + members[number].cost.chain;
    std::pair<double, Arithmetic> after{model.arithmetic({}, chain).chain, chain};
    for (Value result : op->getResults())
      chains[result] = after;
    if (after.first > longest.first)
      longest = after;
  }
  found.body.chain = longest.second;
  return found;
}

} // namespace systole
