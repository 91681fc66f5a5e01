// Makes one kernel of two that read the same array.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Cancellation.h"
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorLevel.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/PlanningPass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_MERGEFUSIONS
#include "compiler/Fusion/Passes.h.inc"

namespace {

class Merger {
public:
  Merger(Block &block, Planner &planner)
      : block(block), isLoop(!isa<func::FuncOp>(block.getParentOp())), planner(planner) {}

  void run() {
    for (auto fusion : llvm::to_vector(block.getOps<kernel::FusionOp>()))
      if (!isCancelled(block.getParentOp()->getContext()))
        mergeWithReaders(current(fusion));
    llvm::SetVector<Value> arrays;
    for (auto fusion : block.getOps<kernel::FusionOp>())
      for (Value input : fusion.getInputs())
        arrays.insert(input);
    // Results of fusions that are merged become others', whose readers have been merged by then.
    for (Value array : arrays)
      if (!gone.contains(array) && !isCancelled(block.getParentOp()->getContext()))
        mergeReaders(array);
    for (kernel::FusionOp fusion : dead)
      fusion->destroy();
  }

private:
  /// The fusion that has the operations of `fusion` now.
  kernel::FusionOp current(kernel::FusionOp fusion) const {
    while (kernel::FusionOp merged = mergedInto.lookup(fusion))
      fusion = merged;
    return fusion;
  }

  /// Makes one kernel of `fusion` and a reader of its results, again and again.
  void mergeWithReaders(kernel::FusionOp fusion) {
    for (bool isMerged = true; isMerged;) {
      isMerged = false;
      llvm::SmallSetVector<kernel::FusionOp, 4> readers;
      for (Operation *user : fusion->getUsers())
        if (auto reader = dyn_cast<kernel::FusionOp>(user);
            reader && reader->getBlock() == &block && canJoin(fusion, reader))
          readers.insert(reader);
      auto inOrder = readers.takeVector();
      llvm::sort(inOrder,
                 [](kernel::FusionOp a, kernel::FusionOp b) { return a->isBeforeInBlock(b); });
      for (kernel::FusionOp reader : inOrder)
        if (kernel::FusionOp merged = merge(fusion, reader)) {
          fusion = merged;
          isMerged = true;
          break;
        }
    }
  }

  /// Whether a producer and its reader may share a kernel: of products it has one.
  bool canJoin(kernel::FusionOp producer, kernel::FusionOp reader) const {
    auto products = [](kernel::FusionOp fusion) {
      return llvm::count_if(operationsOf(fusion), isProduct);
    };
    auto isFree = [&](kernel::FusionOp fusion) {
      return plan(fusion) && !writesCarried(fusion) &&
             llvm::none_of(operationsOf(fusion),
                           [](Operation *op) { return kindOf(op) == OpKind::Indexed; });
    };
    return isFree(producer) && isFree(reader) && products(producer) + products(reader) <= 1;
  }

  /// Values that a loop carries: they may be written over the old ones only in their place.
  bool writesCarried(kernel::FusionOp fusion) const {
    return isLoop && llvm::is_contained(fusion->getUsers(), block.getTerminator());
  }

  void mergeReaders(Value array) {
    SmallVector<kernel::FusionOp> readers;
    for (Operation *user : array.getUsers())
      if (auto reader = dyn_cast<kernel::FusionOp>(user); reader && reader->getBlock() == &block &&
                                                          !llvm::is_contained(readers, reader) &&
                                                          canMove(reader))
        readers.push_back(reader);
    llvm::sort(readers,
               [](kernel::FusionOp a, kernel::FusionOp b) { return a->isBeforeInBlock(b); });
    for (size_t i = 0; i < readers.size(); ++i)
      for (size_t j = i + 1; j < readers.size();)
        if (kernel::FusionOp merged = merge(readers[i], readers[j])) {
          readers[i] = merged;
          readers.erase(readers.begin() + j);
        } else {
          ++j;
        }
  }

  /// Products and what copies windows keep a kernel of their own.
  bool canMove(kernel::FusionOp fusion) const {
    return plan(fusion) &&
           llvm::none_of(
               operationsOf(fusion),
               [](Operation *op) { return isProduct(op) || kindOf(op) == OpKind::Indexed; }) &&
           !writesCarried(fusion);
  }

  /// Whether `fusion` could run where `place` is, before it.
  bool canHoist(kernel::FusionOp fusion, Operation *place) const {
    return llvm::all_of(fusion.getInputs(), [&](Value input) {
      Operation *producer = input.getDefiningOp();
      return !producer || producer->getBlock() != &block || producer->isBeforeInBlock(place);
    });
  }

  /// Whether `fusion` could run where `place` is, with it. What it reads must still be there.
  bool canSink(kernel::FusionOp fusion, Operation *place) const {
    auto isOverwritten = [&](Value input) {
      return input.getDefiningOp<stablehlo::OptimizationBarrierOp>() ||
             (isLoop && input.getParentBlock() == &block && isa<BlockArgument>(input)) ||
             llvm::any_of(input.getUses(),
                          [](OpOperand &use) { return isAlias(use.getOwner()) || isUpdated(use); });
    };
    return llvm::none_of(fusion.getInputs(), isOverwritten) &&
           llvm::all_of(fusion->getUsers(), [&](Operation *user) {
             user = block.findAncestorOpInBlock(*user);
             return user == place || place->isBeforeInBlock(user);
           });
  }

  /// Operations of which the merged kernel has as many as both.
  static size_t countWork(kernel::FusionOp fusion) {
    SmallVector<Operation *> ops = operationsOf(fusion);
    llvm::erase_if(ops, isRematerializable);
    return countOperations(ops);
  }

  std::optional<Plan> plan(kernel::FusionOp fusion) const {
    auto [it, isNew] = plans.try_emplace(fusion);
    if (isNew)
      it->second = planOf(fusion, planner);
    return it->second;
  }

  /// One kernel for `first` and `second`, if that takes less time than two.
  kernel::FusionOp merge(kernel::FusionOp first, kernel::FusionOp second) {
    Operation *place = canHoist(second, first)  ? first.getOperation()
                       : canSink(first, second) ? second.getOperation()
                                                : nullptr;
    if (!place || countWork(first) + countWork(second) > kMaxGroupOps)
      return nullptr;
    FusionDraft draft(place);
    SmallVector<Value> olds, results;
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
      olds.push_back(result);
      results.push_back(inner);
    }
    draft.append(second, inSecond);
    for (auto [value, result] : llvm::zip_equal(
             second.getBody().front().getTerminator()->getOperands(), second.getResults())) {
      olds.push_back(result);
      results.push_back(inSecond.lookup(value));
    }
    auto isOf = [&](StringRef kind) { return first.getKind() == kind || second.getKind() == kind; };
    StringRef kind = isOf("dot")           ? "dot"
                     : isOf("convolution") ? "convolution"
                     : isOf("reduce")      ? "reduce"
                     : isOf("loop")        ? "loop"
                                           : "copy";
    kernel::FusionOp merged = draft.finish(first.getLoc(), kind, results);
    std::optional<Plan> both = plan(merged);
    if (!both || both->cycles >= plan(first)->cycles + plan(second)->cycles) {
      plans.erase(merged);
      merged.erase();
      return nullptr;
    }
    for (auto [old, result] : llvm::zip_equal(olds, merged.getResults()))
      old.replaceAllUsesWith(result);
    for (kernel::FusionOp fusion : {first, second}) {
      gone.insert_range(fusion.getResults());
      mergedInto[fusion] = merged;
      fusion->dropAllReferences();
      fusion->remove();
      dead.push_back(fusion);
    }
    planner.planFusion(merged);
    return merged;
  }

  Block &block;
  bool isLoop;
  Planner &planner;
  mutable llvm::DenseMap<Operation *, std::optional<Plan>> plans;
  /// What has been merged lives on until the end, so that its addresses are its own.
  SmallVector<kernel::FusionOp> dead;
  llvm::DenseSet<Value> gone;
  llvm::DenseMap<kernel::FusionOp, kernel::FusionOp> mergedInto;
};

struct MergeFusions : PlanningPass<impl::MergeFusionsBase<MergeFusions>> {
  using PlanningPass::PlanningPass;

  void runOnOperation() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    for (Block *block : blocksOfFusions(getOperation()))
      Merger(*block, planner()).run();
    if (isCancelled(&getContext()))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createMergeFusions(std::shared_ptr<Planner> planner) {
  return std::make_unique<MergeFusions>(std::move(planner));
}

} // namespace systole
