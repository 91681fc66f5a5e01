// Makes one kernel of a producer and its reader, and of two that read the same array.
// See docs/decisions/fusion.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Cancellation.h"
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Fusion/FusionPairs.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_MERGEFUSIONS
#include "compiler/Fusion/Passes.h.inc"

namespace {

class Merger {
public:
  Merger(Block &block, Planner &planner) : block(block), planner(planner), pairs(block, planner) {}

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
    mergeAroundReaders();
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

  /// Whether a producer and its reader may share a kernel.
  bool canJoin(kernel::FusionOp producer, kernel::FusionOp reader) const {
    Obstacle obstacle = pairs.obstacleOf(producer, reader);
    if (obstacle != Obstacle::None)
      remarkApart(reader, obstacle);
    return obstacle == Obstacle::None;
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
          mergedReaders.push_back(merged);
        } else {
          ++j;
        }
  }

  /// A kernel of several readers may pay with a kernel before or behind it, where the kernel of one
  /// of them did not.
  void mergeAroundReaders() {
    llvm::SmallSetVector<kernel::FusionOp, 4> kernels;
    for (kernel::FusionOp readers : mergedReaders)
      kernels.insert(current(readers));
    for (kernel::FusionOp readers : kernels) {
      if (isCancelled(block.getParentOp()->getContext()))
        return;
      llvm::SmallSetVector<kernel::FusionOp, 4> producers;
      for (Value input : current(readers).getInputs())
        if (auto producer = input.getDefiningOp<kernel::FusionOp>();
            producer && producer->getBlock() == &block)
          producers.insert(producer);
      for (kernel::FusionOp producer : producers)
        mergeWithReaders(current(producer));
      mergeWithReaders(current(readers));
    }
  }

  /// Products and what copies windows keep a kernel of their own.
  bool canMove(kernel::FusionOp fusion) const {
    return pairs.plan(fusion) && llvm::none_of(operationsOf(fusion), [](Operation *op) {
             return isProduct(op) || kindOf(op) == OpKind::Indexed;
           });
  }

  static constexpr remark::RemarkOpts remarkOf(StringRef name) {
    return remark::RemarkOpts::name(name).category("systole-merge-fusions");
  }

  static void remarkApart(kernel::FusionOp second, Obstacle obstacle) {
    if (auto remark = remark::missed(second.getLoc(), remarkOf("TwoKernels")))
      remark << remark::reason("{0}", textOf(obstacle));
  }

  /// One kernel for `first` and `second`, if that takes less time than two.
  kernel::FusionOp merge(kernel::FusionOp first, kernel::FusionOp second) {
    FusionPair pair = pairs.merge(first, second);
    if (pair.obstacle != Obstacle::None) {
      remarkApart(second, pair.obstacle);
    } else {
      auto found = pair.pays() ? remark::passed(second.getLoc(), remarkOf("OneKernel"))
                               : remark::missed(second.getLoc(), remarkOf("TwoKernels"));
      found << remark::metric("OneKernelCycles", std::llround(pair.oneKernel))
            << remark::metric("TwoKernelsCycles", std::llround(pair.twoKernels));
    }
    if (!pair.pays()) {
      pairs.discard(pair);
      return nullptr;
    }
    for (auto [old, result] : llvm::zip_equal(pair.replaced, pair.merged.getResults()))
      old.replaceAllUsesWith(result);
    for (kernel::FusionOp fusion : {first, second}) {
      gone.insert_range(fusion.getResults());
      mergedInto[fusion] = pair.merged;
      fusion->dropAllReferences();
      fusion->remove();
      dead.push_back(fusion);
    }
    planner.planFusion(pair.merged);
    return pair.merged;
  }

  Block &block;
  Planner &planner;
  FusionPairs pairs;
  /// What has been merged lives on until the end, so that its addresses are its own.
  SmallVector<kernel::FusionOp> dead;
  llvm::DenseSet<Value> gone;
  llvm::DenseMap<kernel::FusionOp, kernel::FusionOp> mergedInto;
  SmallVector<kernel::FusionOp> mergedReaders;
};

struct MergeFusions : PlanningPass<impl::MergeFusionsBase<MergeFusions>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
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
