// One kernel for two fusions: whether that is possible, and what it takes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/FusionPairs.h"

#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/CarriedValues.h"
#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/GroupTensors.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole {

std::string textOf(Obstacle obstacle, StringRef which) {
  switch (obstacle) {
  case Obstacle::None:
    return "";
  case Obstacle::Indexed:
    return which.str() + " moves elements at computed positions";
  case Obstacle::Alone:
    return which.str() +
           " takes all of VMEM, or as many operations or operands as a kernel may have";
  case Obstacle::Products:
    return "both have a product";
  case Obstacle::Order:
    return "neither can run where the other one does";
  case Obstacle::Operations:
    return "both have more than " + std::to_string(kMaxGroupOps) + " operations together";
  case Obstacle::Operands:
    return "both have more than " + std::to_string(kMaxOperands) + " operands together";
  case Obstacle::Plan:
    return "both have no plan";
  case Obstacle::Alias:
    return which.str() + " reads the other's result under another shape, or behind a barrier";
  }
  llvm_unreachable("unknown obstacle");
}

FusionPairs::FusionPairs(Block &block, Planner &planner)
    : block(block), isLoop(!isa<func::FuncOp>(block.getParentOp())), planner(planner) {}

std::optional<Plan> FusionPairs::plan(kernel::FusionOp fusion) const {
  auto [it, isNew] = plans.try_emplace(fusion);
  if (isNew)
    // A fusion that stays as it is gets its plan in the end, if need be with the most of VMEM.
    it->second = planOf(fusion, planner, VmemUse::Most);
  return it->second;
}

/// Whether `value` is read behind `kernel` in its block, under whatever shape, other than by
/// `fusions` and the block's end.
static bool isReadBehind(Value value, kernel::FusionOp kernel, ArrayRef<kernel::FusionOp> fusions) {
  Block *block = kernel->getBlock();
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isa<kernel::ReinterpretOp, kernel::PartOp>(user))
      return isReadBehind(user->getResult(0), kernel, fusions);
    Operation *reader = block->findAncestorOpInBlock(*user);
    auto fusion = dyn_cast_or_null<kernel::FusionOp>(reader);
    return reader && reader != block->getTerminator() && kernel->isBeforeInBlock(reader) &&
           !(fusion && llvm::is_contained(fusions, fusion));
  });
}

double FusionPairs::copyCyclesOf(kernel::FusionOp kernel, ValueRange replaced,
                                 ArrayRef<kernel::FusionOp> fusions) const {
  if (!isa<stablehlo::WhileOp>(block.getParentOp()))
    return 0;
  Block &body = kernel.getBody().front();
  SmallVector<CarriedValue, 2> carried;
  SmallVector<Value> readLater;
  for (auto [argument, next] :
       llvm::zip(block.getArguments(), block.getTerminator()->getOperands())) {
    auto result = llvm::find(replaced, next);
    if (result == replaced.end())
      continue;
    Value inner = body.getTerminator()->getOperand(result - replaced.begin());
    if (isReadBehind(argument, kernel, fusions)) {
      readLater.push_back(inner);
      continue;
    }
    addCarried(kernel, argument, inner, carried);
  }
  const MachineModel &model = planner.machine().model;
  Blocking blocking = Planner::blockingOf(operationsOf(kernel), *plan(kernel));
  double cycles = copyCycles(carried, blocking, model);
  for (Value value : readLater)
    cycles += copyCycles(typeOf(value), model);
  return cycles;
}

Obstacle FusionPairs::ownObstacle(kernel::FusionOp fusion) const {
  if (!plan(fusion))
    return Obstacle::Alone;
  bool isIndexed = llvm::any_of(operationsOf(fusion),
                                [](Operation *op) { return kindOf(op) == OpKind::Indexed; });
  return isIndexed ? Obstacle::Indexed : Obstacle::None;
}

Obstacle FusionPairs::obstacleOf(kernel::FusionOp producer, kernel::FusionOp reader) const {
  for (kernel::FusionOp fusion : {producer, reader})
    if (Obstacle own = ownObstacle(fusion); own != Obstacle::None)
      return own;
  auto products = [](kernel::FusionOp fusion) {
    return llvm::count_if(operationsOf(fusion), isProduct);
  };
  return products(producer) + products(reader) > 1 ? Obstacle::Products : Obstacle::None;
}

/// Whether `fusion` could run where `place` is, with it: what it reads is there, or made by that.
bool FusionPairs::canHoist(kernel::FusionOp fusion, Operation *place) const {
  return llvm::all_of(fusion.getInputs(), [&](Value input) {
    Operation *producer = input.getDefiningOp();
    return !producer || producer == place || producer->getBlock() != &block ||
           producer->isBeforeInBlock(place);
  });
}

bool FusionPairs::isOverwritten(Value input, Operation *place) const {
  // A loop-carried value is overwritten by the next one.
  if (auto argument = dyn_cast<BlockArgument>(input);
      argument && isLoop && argument.getOwner() == &block) {
    auto loop = dyn_cast<stablehlo::WhileOp>(block.getParentOp());
    Operation *next =
        loop && block.getParent() == &loop.getBody()
            ? block.getTerminator()->getOperand(argument.getArgNumber()).getDefiningOp()
            : nullptr;
    next = next ? block.findAncestorOpInBlock(*next) : nullptr;
    if (next && next != place && next->isBeforeInBlock(place))
      return true;
  }
  // Merging changes who reads an array, but not whether one of them updates it.
  auto [it, isNew] = overwritten.try_emplace(input);
  if (isNew)
    it->second = input.getDefiningOp<stablehlo::OptimizationBarrierOp>() ||
                 llvm::any_of(input.getUses(), [](OpOperand &use) {
                   return isAlias(use.getOwner()) || isUpdated(use);
                 });
  return it->second;
}

/// Whether `fusion` could run where `place` is, with it. What it reads must still be there.
bool FusionPairs::canSink(kernel::FusionOp fusion, Operation *place) const {
  return llvm::none_of(fusion.getInputs(),
                       [&](Value input) { return isOverwritten(input, place); }) &&
         llvm::all_of(fusion->getUsers(), [&](Operation *user) {
           user = block.findAncestorOpInBlock(*user);
           return user == place || place->isBeforeInBlock(user);
         });
}

FusionPair FusionPairs::merge(kernel::FusionOp first, kernel::FusionOp second) const {
  FusionPair pair;
  Operation *place = canHoist(second, first)  ? first.getOperation()
                     : canSink(first, second) ? second.getOperation()
                                              : nullptr;
  pair.obstacle = !place ? Obstacle::Order
                  : countWork(operationsOf(first)) + countWork(operationsOf(second)) > kMaxGroupOps
                      ? Obstacle::Operations
                      : Obstacle::None;
  if (pair.obstacle != Obstacle::None)
    return pair;
  FusionDraft draft(place);
  SmallVector<Value> results;
  IRMapping inFirst, inSecond;
  draft.append(first, inFirst);
  Block &body = first.getBody().front();
  for (auto [value, result] :
       llvm::zip_equal(body.getTerminator()->getOperands(), first.getResults())) {
    Value inner = inFirst.lookup(value);
    for (auto [input, argument] :
         llvm::zip_equal(second.getInputs(), second.getBody().getArguments()))
      if (input == result)
        inSecond.map(argument, inner);
    // What is continued in every chunk stays a result, whether anyone reads it or not.
    Operation *op = value.getDefiningOp();
    if (llvm::all_of(result.getUsers(), [&](Operation *user) { return user == second; }) &&
        !(op && staysForChunks(op)))
      continue;
    pair.replaced.push_back(result);
    results.push_back(inner);
  }
  draft.append(second, inSecond);
  for (auto [value, result] : llvm::zip_equal(
           second.getBody().front().getTerminator()->getOperands(), second.getResults())) {
    pair.replaced.push_back(result);
    results.push_back(inSecond.lookup(value));
  }
  auto isOf = [&](StringRef kind) { return first.getKind() == kind || second.getKind() == kind; };
  StringRef kind = isOf("dot")           ? "dot"
                   : isOf("convolution") ? "convolution"
                   : isOf("reduce")      ? "reduce"
                   : isOf("sort")        ? "sort"
                   : isOf("loop")        ? "loop"
                                         : "copy";
  pair.merged = draft.finish(first.getLoc(), kind, results);
  SmallVector<Operation *> ops = operationsOf(pair.merged);
  // Equal values of both fusions are one tensor, but as many results.
  int64_t arrays = pair.merged->getNumOperands() + pair.merged->getNumResults();
  pair.obstacle = countOperations(ops) > kMaxGroupOps ? Obstacle::Operations
                  : std::max(arrays, GroupOperands(ops).count()) > kMaxOperands ? Obstacle::Operands
                  : !planOf(pair.merged, planner)                               ? Obstacle::Plan
                                                                                : Obstacle::None;
  if (pair.obstacle == Obstacle::None) {
    // The two are where they were, beside their merged copy.
    pair.oneKernel = plan(pair.merged)->cycles +
                     copyCyclesOf(pair.merged, pair.replaced, {first, second, pair.merged});
    for (kernel::FusionOp fusion : {first, second})
      pair.twoKernels +=
          plan(fusion)->cycles + copyCyclesOf(fusion, fusion.getResults(), {fusion, pair.merged});
  }
  return pair;
}

void FusionPairs::discard(FusionPair &pair) const {
  if (!pair.merged)
    return;
  plans.erase(pair.merged);
  pair.merged.erase();
  pair.merged = nullptr;
}

} // namespace systole
