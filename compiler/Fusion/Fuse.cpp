// Groups tensor operations into kernels.
//
// Groups of a block are numbered in the order in which they will run. An
// operation only ever joins a group that is not before any of its producers',
// so the groups never depend on each other in a circle. What the sequencer computes
// stays outside, behind the group from which it needs a result.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Cancellation.h"
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Fusion/GroupJoins.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/GroupTensors.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Planning/SequencerScalars.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"
#include "compiler/Tensor/TensorTypes.h"

#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_FUSE
#include "compiler/Fusion/Passes.h.inc"

namespace {

/// Constants up to this size are part of the program's image when control flow reads them.
constexpr int64_t kConstantBytes = 4 << 10;

/// Puts the operations of the fusions that there are already in their places.
Units inlineFusions(Operation *function) {
  Units units;
  unsigned count = 0;
  function->walk([&](kernel::FusionOp fusion) {
    Block &body = fusion.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
      op.moveBefore(fusion);
      units[&op] = count;
    }
    ++count;
    for (auto [argument, input] : llvm::zip_equal(body.getArguments(), fusion.getInputs()))
      argument.replaceAllUsesWith(input);
    fusion.replaceAllUsesWith(body.getTerminator()->getOperands());
    fusion.erase();
  });
  return units;
}

/// Fuses the operations of one block.
class BlockFuser : GroupJoins {
public:
  BlockFuser(Block &block, Planner &planner, const SequencerScalars &scalars, const Units &units)
      : GroupJoins(block, planner, units), scalars(scalars) {}

  void run() {
    hoistScalars([&](Operation *op) {
      return !scalars.computes(op) && !units.contains(op) &&
             !op->getAttrOfType<IntegerAttr>(kernel::kExpandedAttr);
    });
    SmallVector<Operation *> unit;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isCancelled(op.getContext()))
        return;
      if (isSequenced(&op)) {
        materializeOperands(&op);
        for (Region &region : op.getRegions())
          BlockFuser(region.front(), planner, scalars, units).run();
        groupOf[&op] = groups.size();
        groups.emplace_back().control = &op;
      } else if (isa<kernel::ReplacePartOp>(op)) {
        // Only the end of the block reads it: kernels of its update may move until then.
        materializeOperands(&op);
        sequenced.emplace_back(&op, std::numeric_limits<int64_t>::max());
      } else if (isAlias(&op) || isa<kernel::UninitializedOp, kernel::PartOp>(op)) {
        materializeOperands(&op);
        waitFor(&op);
      } else if (op.hasTrait<OpTrait::IsTerminator>()) {
        materializeOperands(&op);
      } else if (scalars.computes(&op)) {
        waitFor(&op);
      } else if (!isRematerializable(&op) && !isProgramConstant(&op)) {
        unit.push_back(&op);
      }
      if (!unit.empty() && !isSplatConstant(&op) && !continues(&op))
        place(std::exchange(unit, {}));
    }
    build();
  }

private:
  /// Whether the next operation behind `op` must share its kernel.
  bool continues(Operation *op) const {
    Operation *behind = op->getNextNode();
    while (isSplatConstant(behind))
      behind = behind->getNextNode();
    auto it = units.find(op), next = units.find(behind);
    if (it != units.end() || next != units.end())
      return it != units.end() && next != units.end() && it->second == next->second;
    auto part = op->getAttrOfType<IntegerAttr>(kernel::kExpandedAttr);
    return part && behind->getAttr(kernel::kExpandedAttr) == part && !scalars.computes(op) &&
           !scalars.computes(behind);
  }

  /// `op`, which stays outside of kernels, comes behind those that it reads from.
  void waitFor(Operation *op) {
    int64_t last = -1;
    for (Value operand : op->getOperands()) {
      Needs needs = needsOf(operand);
      last = std::max({last, needs.data, needs.scalars});
    }
    sequenced.emplace_back(op, last);
    readyAfter[op] = last;
  }

  /// Values that control flow reads come out of kernels or the program's image.
  void materializeOperands(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (!isRematerializable(producer) || groupOf.contains(producer))
        continue;
      if (isSplatConstant(producer) && paddedBytes(typeOf(operand.get())) <= kConstantBytes)
        continue;
      writeFor(operand);
    }
  }

  /// Lets `operand` read what a kernel writes instead of a copy of its own.
  Operation *writeFor(OpOperand &operand) {
    Operation *written = OpBuilder(operand.getOwner()).clone(*operand.get().getDefiningOp());
    // A kernel's blocks depend on what leaves it, so it has its reader before its place.
    operand.set(written->getResult(0));
    place(written);
    return written;
  }

  /// Windows are copied from HBM and positions read from SMEM: what every reader has its own
  /// copy of comes there out of a kernel first.
  void materializeReads(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      // Equal positions are known without, but a scatter counts through them.
      bool isPosition =
          isIndexOperand(operand) && (!isSplatConstant(producer) || isa<stablehlo::ScatterOp>(op));
      bool isRead = isWindowed(operand) || isPosition;
      if (isRead && isRepeated(operand))
        readFromHbm(operand);
    }
    if (!units.contains(op) && kindOf(op) != OpKind::Elementwise)
      materializeForBlocks(op);
  }

  /// Whether the reader of `operand` would have a copy of what makes it.
  bool isRepeated(OpOperand &operand) const {
    Operation *producer = operand.get().getDefiningOp();
    return isRematerializable(producer) && !groupOf.contains(producer);
  }

  void readFromHbm(OpOperand &operand) {
    Operation *producer = operand.get().getDefiningOp();
    if (Operation *written = inHbm.lookup(producer))
      operand.set(written->getResult(0));
    else
      inHbm[producer] = writeFor(operand);
  }

  /// Only what is in HBM can be read at an offset: an operation that has no blocks otherwise gets
  /// what it would have copies of from there.
  void materializeForBlocks(Operation *op) {
    SmallVector<OpOperand *> repeated;
    for (OpOperand &operand : op->getOpOperands())
      if (isRepeated(operand) && typeOf(operand.get()).getRank() > 0 && !isIndexOperand(operand))
        repeated.push_back(&operand);
    if (repeated.empty() || planner.plan(withRepeated({op})) || !planner.plan({op}))
      return;
    for (OpOperand *operand : repeated)
      readFromHbm(*operand);
  }

  /// `ops` share a kernel, if possible with their producers.
  void place(ArrayRef<Operation *> ops) {
    llvm::for_each(ops, [&](Operation *op) { materializeReads(op); });
    // Their mutual operands exist by now.
    placing = llvm::SmallPtrSet<Operation *, 8>(ops.begin(), ops.end());
    SmallVector<Operation *> waiting = takeWaiting(ops);
    if (!waiting.empty()) {
      SmallVector<Operation *> all(waiting);
      llvm::append_range(all, ops);
      if (joinLast(all))
        return;
      if (planner.plan(withRepeated(all)))
        return start(all);
    }
    for (Operation *op : waiting)
      if (!joinLast(op))
        start(op);
    if (joinLast(ops))
      return;
    // The parts of an operation share a kernel as far as its operands allow.
    if (ops.size() > 1 && !units.contains(ops.front()) &&
        GroupOperands(withRepeated(ops)).count() > kMaxOperands) {
      for (Operation *op : ops)
        place(op);
      return;
    }
    if (isAddend(ops))
      addends.insert(ops.front());
    else
      start(ops);
  }

  void start(ArrayRef<Operation *> ops) {
    groups.emplace_back();
    takeExpansions(ops);
    join(groups.size() - 1, ops);
  }

  /// Whether `ops` is a slice that only elementwise work reads: nothing says how a kernel is cut
  /// that has slices of different arrays, until that work says how they lie to each other.
  bool isAddend(ArrayRef<Operation *> ops) const {
    auto slice = dyn_cast<stablehlo::SliceOp>(ops.front());
    if (ops.size() != 1 || !slice || !slice->hasOneUse() || units.contains(slice))
      return false;
    Operation *user = *slice->user_begin();
    return user->getBlock() == &block && kindOf(user) == OpKind::Elementwise &&
           !scalars.computes(user) && !units.contains(user);
  }

  /// The slices that wait for `ops`, or that `ops` must wait for.
  SmallVector<Operation *> takeWaiting(ArrayRef<Operation *> ops) {
    SmallVector<Operation *> waiting;
    auto take = [&](Operation *op) {
      if (op && addends.erase(op))
        waiting.push_back(op);
    };
    for (Operation *op : ops) {
      for (Value operand : op->getOperands())
        take(operand.getDefiningOp());
      // What reads an array comes before its update in HBM.
      if (op->getNumResults() == 1 && isUpdatedInHbm(op->getResult(0)))
        llvm::for_each(op->getOperand(0).getUsers(), take);
    }
    return waiting;
  }

  /// A product that starts a kernel of its own takes along what other kernels would write for it
  /// alone in more bytes than that is made from: relayouts of few features.
  void takeExpansions(ArrayRef<Operation *> ops) {
    if (ops.size() != 1 || !isProduct(ops.front()))
      return;
    int64_t last = groups.size() - 1;
    for (Value operand : ops.front()->getOperands()) {
      auto producer = operand.getDefiningOp<stablehlo::TransposeOp>();
      auto it = groupOf.find(producer);
      if (!producer || it == groupOf.end() || !producer->hasOneUse() ||
          paddedBytes(typeOf(operand)) <= paddedBytes(typeOf(producer.getOperand())))
        continue;
      SmallVector<Operation *> joined(groups[last].ops);
      joined.append({producer, ops.front()});
      if (!planner.plan(withRepeated(joined)))
        continue;
      llvm::erase(groups[it->second].ops, producer);
      join(last, {producer});
    }
  }

  void build() {
    auto next = sequenced.begin();
    llvm::stable_sort(sequenced, llvm::less_second());
    while (next != sequenced.end() && next->second < 0)
      ++next; // stay at the beginning
    for (auto [number, group] : llvm::enumerate(groups)) {
      if (group.control)
        group.control->moveBefore(block.getTerminator());
      else if (!group.ops.empty())
        buildFusion(group);
      for (; next != sequenced.end() && next->second == static_cast<int64_t>(number); ++next)
        next->first->moveBefore(block.getTerminator());
    }
    for (; next != sequenced.end(); ++next)
      next->first->moveBefore(block.getTerminator());
    // What has been copied into fusions goes, users before producers.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      auto it = groupOf.find(&op);
      bool grouped = it != groupOf.end() && !groups[it->second].control;
      if (grouped || ((isRematerializable(&op) || isProgramConstant(&op)) && op.use_empty()))
        op.erase();
    }
  }

  /// Of what every reader has its own copy of, that which a kernel writes to HBM.
  llvm::DenseMap<Operation *, Operation *> inHbm;
  const SequencerScalars &scalars;
  /// Slices that wait for what adds them up.
  llvm::SmallPtrSet<Operation *, 8> addends;
};

struct Fuse : PlanningPass<impl::FuseBase<Fuse>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    forEachFunction(getOperation(), [&](func::FuncOp function) {
      if (function.getBody().empty())
        return;
      Units units = inlineFusions(function);
      BlockFuser(function.getBody().front(), planner(),
                 SequencerScalars(function.getBody(), SequencerScalars::Operations::chosen), units)
          .run();
    });
    if (isCancelled(&getContext()))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createFuse(std::shared_ptr<Planner> planner) {
  return std::make_unique<Fuse>(std::move(planner));
}

} // namespace systole
