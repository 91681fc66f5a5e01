// A fusion that is made from the operations of others.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/FusionDraft.h"

#include "compiler/Planning/GroupTensors.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

unsigned FusionDraft::SameOperation::getHashValue(Operation *op) {
  return OperationEquivalence::computeHash(op, OperationEquivalence::directHashValue,
                                           OperationEquivalence::ignoreHashValue,
                                           OperationEquivalence::IgnoreLocations);
}

bool FusionDraft::SameOperation::isEqual(Operation *a, Operation *b) {
  auto isOperation = [](Operation *op) { return op != getEmptyKey() && op != getTombstoneKey(); };
  return a == b ||
         (isOperation(a) && isOperation(b) && a->getName() == b->getName() &&
          a->getOperands() == b->getOperands() &&
          OperationEquivalence::isEquivalentTo(a, b, OperationEquivalence::IgnoreLocations));
}

Value FusionDraft::input(Value outer) {
  if (auto *it = llvm::find(inputs, outer); it != inputs.end())
    return block->getArgument(it - inputs.begin());
  inputs.push_back(outer);
  return block->addArgument(outer.getType(), outer.getLoc());
}

void FusionDraft::append(Operation *op, IRMapping &names) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(block.get());
  Operation *copy = builder.clone(*op, names);
  auto [place, isNew] = known.insert(copy);
  if (isNew)
    return;
  names.map(op->getResults(), (*place)->getResults());
  copy->erase();
}

void FusionDraft::append(kernel::FusionOp fusion, IRMapping &names) {
  Block &body = fusion.getBody().front();
  for (auto [argument, outer] : llvm::zip_equal(body.getArguments(), fusion.getInputs()))
    if (!names.contains(argument))
      names.map(argument, input(outer));
  for (Operation &op : body.without_terminator())
    append(&op, names);
}

kernel::FusionOp FusionDraft::finish(Location loc, StringRef kind, ArrayRef<Value> results) {
  OpBuilder builder(place->getContext());
  builder.setInsertionPointToEnd(block.get());
  kernel::FusedOp::create(builder, loc, results);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
  for (unsigned number = inputs.size(); number-- > 0;)
    if (block->getArgument(number).use_empty()) {
      block->eraseArgument(number);
      inputs.erase(inputs.begin() + number);
    }
  builder.setInsertionPoint(place);
  auto fusion =
      kernel::FusionOp::create(builder, loc, TypeRange(ValueRange(results)), inputs, kind);
  fusion.getBody().push_back(block.release());
  return fusion;
}

llvm::SetVector<Block *> blocksOfFusions(Operation *root) {
  llvm::SetVector<Block *> blocks;
  root->walk([&](kernel::FusionOp fusion) { blocks.insert(fusion->getBlock()); });
  return blocks;
}

bool isAlias(Operation *op) {
  return isa<kernel::ReinterpretOp, stablehlo::OptimizationBarrierOp>(op);
}

Value aliasedBy(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return result && isAlias(result.getOwner())
             ? result.getOwner()->getOperand(result.getResultNumber())
             : Value();
}

bool isUpdated(OpOperand &use) {
  auto fusion = dyn_cast<kernel::FusionOp>(use.getOwner());
  for (unsigned number = 0; fusion && number < fusion.getNumResults(); ++number)
    if (updatedInput(fusion, number) == use.getOperandNumber())
      return true;
  return false;
}

bool isProduct(Operation *op) {
  OpKind kind = kindOf(op);
  return kind == OpKind::Dot || kind == OpKind::Convolution;
}

std::optional<Plan> planOf(kernel::FusionOp fusion, Planner &planner, VmemUse use) {
  SmallVector<Operation *> ops = operationsOf(fusion);
  if (countOperations(ops) > kMaxGroupOps || GroupOperands(ops).count() > kMaxOperands)
    return std::nullopt;
  return planner.plan(ops, use);
}

size_t countWork(ArrayRef<Operation *> ops) {
  size_t parts = 0, others = 0;
  for (Operation *op : ops)
    if (auto several = dyn_cast<kernel::ElementwiseOp>(op))
      parts +=
          llvm::count_if(several.getOps(), [](Operation &part) { return !isSplatConstant(&part); });
    else if (op->hasAttr(kernel::kExpandedAttr))
      ++parts;
    else if (!isRematerializable(op))
      ++others;
  return others + llvm::divideCeil(parts, kPartsOfOp);
}

size_t countOperations(ArrayRef<Operation *> ops) {
  size_t others = 0;
  llvm::SmallDenseSet<std::pair<Type, Attribute>, 32> constants; // equal ones are one
  auto add = [&](Operation &op) {
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op); constant && isSplatConstant(&op))
      constants.insert({typeOf(constant.getResult()).getElementType(),
                        cast<DenseElementsAttr>(constant.getValue()).getSplatValue<Attribute>()});
    else if (isRematerializable(&op))
      ++others;
  };
  for (Operation *op : ops)
    if (auto several = dyn_cast<kernel::ElementwiseOp>(op))
      llvm::for_each(several.getOps(), add);
    else
      add(*op);
  return countWork(ops) + others + constants.size();
}

} // namespace systole
