// Combines small reductions over the same groups into one.
//
// A gradient of a network is some hundred arrays of a few kilobytes, each of which would wait for
// the latency of the links.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/ExchangeSizes.h"
#include "compiler/Partition/Passes.h"
#include "compiler/Tensor/TensorTypes.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_COMBINECOLLECTIVES
#include "compiler/Partition/Passes.h.inc"

namespace {

using stablehlo::AllReduceOp;

/// Whether all operands are so small that latency is their cost, and reduced in their own type.
bool isSmall(AllReduceOp op) {
  return llvm::all_of(op.getOperands(), [](Value operand) {
    RankedTensorType type = typeOf(operand);
    return type.hasStaticShape() && type.getNumElements() > 0 && partition::isSmall(type);
  });
}

/// Whether one operation can reduce the operands of both.
bool haveOneReduction(AllReduceOp a, AllReduceOp b) {
  auto elementOf = [](AllReduceOp op) { return typeOf(op.getOperand(0)).getElementType(); };
  return a->getAttrs() == b->getAttrs() && elementOf(a) == elementOf(b) &&
         OperationEquivalence::isRegionEquivalentTo(&a.getComputation(), &b.getComputation(),
                                                    OperationEquivalence::Flags::IgnoreLocations);
}

/// Reductions that may be one, and the operations behind the first of them that depend on some of
/// them, in order.
struct Cluster {
  SmallVector<AllReduceOp> members;
  llvm::SetVector<Operation *> dependents;
  size_t inFront = 0; ///< of the dependents, in front of the last member

  void add(AllReduceOp member) {
    members.push_back(member);
    inFront = dependents.size();
  }

  bool isUsedBy(Operation *op) const {
    return op
        ->walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            if (Operation *producer = operand.getDefiningOp();
                producer &&
                (dependents.contains(producer) || llvm::is_contained(members, producer)))
              return WalkResult::interrupt();
          return WalkResult::advance();
        })
        .wasInterrupted();
  }
};

/// Replaces the members by one operation in place of the last, and moves what depends on the others
/// behind it.
void combine(const Cluster &cluster) {
  if (cluster.members.size() < 2)
    return;
  AllReduceOp last = cluster.members.back();
  SmallVector<Value> operands;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (AllReduceOp member : cluster.members) {
    llvm::append_range(operands, member.getOperands());
    llvm::append_range(types, member.getResultTypes());
    locations.push_back(member.getLoc());
  }
  OpBuilder b(last);
  OperationState state(FusedLoc::get(last.getContext(), locations), last->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(last->getAttrs());
  state.addRegion()->takeBody(last.getComputation());
  Operation *all = b.create(state);
  Operation *behind = all;
  for (Operation *op : cluster.dependents.getArrayRef().take_front(cluster.inFront)) {
    op->moveAfter(behind);
    behind = op;
  }
  unsigned number = 0;
  for (AllReduceOp member : cluster.members) {
    for (Value result : member.getResults())
      result.replaceAllUsesWith(all->getResult(number++));
    member.erase();
  }
}

void combineIn(Block &block) {
  Cluster cluster;
  auto finish = [&] {
    combine(cluster);
    cluster = {};
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto reduction = dyn_cast<AllReduceOp>(op);
    const bool isUsed = cluster.isUsedBy(&op);
    if (reduction && isSmall(reduction)) {
      const bool fits = !isUsed && cluster.members.size() < partition::kMostCombined;
      if (!cluster.members.empty() && (!fits || !haveOneReduction(cluster.members[0], reduction)))
        finish();
      cluster.add(reduction);
      continue;
    }
    // The order of effects stays.
    if (isUsed && (op.hasTrait<OpTrait::IsTerminator>() || op.getNumRegions() > 0 ||
                   isa<stablehlo::CustomCallOp>(op) || op.getNumResults() == 0))
      finish();
    else if (isUsed)
      cluster.dependents.insert(&op);
  }
  finish();
}

struct CombineCollectives : impl::CombineCollectivesBase<CombineCollectives> {
  void rewrite() override {
    if (!getOperation()->hasAttr(kernel::kCoresAttr))
      return;
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      combineIn(*block);
  }
};

} // namespace
} // namespace systole
