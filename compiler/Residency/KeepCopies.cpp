// Decides which arrays in HBM the first of several kernels that read them leaves in VMEM for the
// others.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Residency/Residency.h"
#include "compiler/Tensor/TensorTypes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace systole {
namespace {

// The effort; none of these says what anything costs.
/// Plans that are asked for to decide about the copies in one block.
constexpr int kMostCopyPlans = 2000;
/// Fusions from one reader of an array to the next, for which VMEM may have it.
constexpr unsigned kMostApart = 4;

/// Decides about the copies of arrays that fusions of one block read.
class CopyKeeper {
public:
  CopyKeeper(Block &block, ResidentArrays &arrays)
      : block(block), arrays(arrays), codeCycles(arrays.planner().machine().model.emptyKernel()) {
    if (auto loop = dyn_cast<stablehlo::WhileOp>(block.getParentOp()))
      trips = double(tripsOf(loop));
  }

  void run() {
    std::optional<SmallVector<FusionCalls>> found = arrays.fusionsIn(block);
    if (!found || found->size() < 2)
      return;
    fusions = *std::move(found);
    const int before = arrays.planCount();
    candidates = arraysRead();
    for (size_t next = 0; next < candidates.size(); ++next) {
      const Value array = candidates[next];
      for (ArrayRef<OpOperand *> reads = readsOf(array); reads.size() > 1;) {
        if (arrays.planCount() - before >= kMostCopyPlans)
          return;
        ArrayRef<OpOperand *> near = firstNear(reads);
        if (near.size() > 1)
          keepCopy(array, near);
        reads = reads.drop_front(near.size());
      }
    }
  }

private:
  /// Arrays in HBM that several fusions of the block read, in the order of the first of these.
  SmallVector<Value> arraysRead() {
    llvm::MapVector<Value, unsigned> readers;
    for (auto fusion : block.getOps<kernel::FusionOp>())
      for (Value array :
           llvm::SmallSetVector<Value, 8>(fusion.getInputs().begin(), fusion.getInputs().end()))
        ++readers[array];
    SmallVector<Value> found;
    for (auto [array, count] : readers)
      if (count > 1 && typeOf(array).getNumElements() > 1 && !kernel::residentOf(array) &&
          !aliasedBy(array) && llvm::none_of(array.getUsers(), isAlias) &&
          llvm::none_of(array.getUses(), isUpdated))
        found.push_back(array);
    return found;
  }

  /// The reads of an array by fusions of the block, in program order, if all are in blocks.
  ArrayRef<OpOperand *> readsOf(Value array) {
    reads.clear();
    for (OpOperand &use : array.getUses()) {
      auto fusion = dyn_cast<kernel::FusionOp>(use.getOwner());
      if (!fusion || fusion->getBlock() != &block)
        continue;
      if (!isReadInBlocks(use))
        return {};
      reads.push_back(&use);
    }
    llvm::stable_sort(reads, [&](OpOperand *a, OpOperand *b) {
      return a->getOwner()->isBeforeInBlock(b->getOwner());
    });
    return reads;
  }

  unsigned numberOf(Operation *fusion) const {
    return llvm::find_if(fusions, [&](const FusionCalls &call) { return call.fusion == fusion; }) -
           fusions.begin();
  }

  /// The first reads of which each is not far behind the one before.
  ArrayRef<OpOperand *> firstNear(ArrayRef<OpOperand *> all) const {
    size_t count = 1;
    while (count < all.size() &&
           numberOf(all[count]->getOwner()) - numberOf(all[count - 1]->getOwner()) <= kMostApart)
      ++count;
    return all.take_front(count);
  }

  /// Lets the first reader leave a copy for the others, if that pays.
  void keepCopy(Value array, ArrayRef<OpOperand *> all) {
    auto first = cast<kernel::FusionOp>(all.front()->getOwner());
    ArrayRef<OpOperand *> others =
        all.drop_while([&](OpOperand *read) { return read->getOwner() == first; });
    if (others.empty())
      return;
    kernel::FusionOp copier = withCopy(first, array);
    // Of its results, too, VMEM may keep some.
    first->replaceAllUsesWith(copier.getResults().drop_back());
    OpResult copy = copier->getResults().back();
    const unsigned begin = numberOf(first), end = numberOf(others.back()->getOwner()) + 1;
    fusions[begin].fusion = copier;
    ArrayRef<FusionCalls> during = ArrayRef(fusions).slice(begin, end - begin);
    kernel::Lifetime lifetime{copier, others.back()->getOwner()};
    KeepCandidate candidate{copy, SmallVector<OpOperand *>(others), copy};
    // A whole one is there for kernels with different blocks, others for those with equal ones.
    for (bool isWhole : {true, false}) {
      candidate.isWhole = isWhole;
      std::optional<KeepChange> change = arrays.changeFor(candidate, lifetime, during);
      if (!change || change->gain * trips <= codeCycles || loadsAtOnce(*change, others))
        continue;
      // Its results may be arrays that are looked at next.
      for (auto [old, result] : llvm::zip(first.getResults(), copier.getResults()))
        llvm::replace(candidates, Value(old), Value(result));
      arrays.replaced(first);
      first.erase();
      OpBuilder b(copier->getContext());
      b.setInsertionPointAfter(copier);
      Value resident =
          arrays.keep(b, copy, *change, kernel::Residency::kernels, /*flag=*/-1, during);
      for (OpOperand *other : others)
        other->set(resident);
      return;
    }
    fusions[begin].fusion = first;
    for (auto [old, result] : llvm::zip(first.getResults(), copier.getResults()))
      result.replaceAllUsesWith(old);
    arrays.replaced(copier);
    copier.erase();
  }

  /// Whether a reader with a product that took its operands block by block has one step now, which
  /// waits for those that are still in HBM: estimates are too low for such kernels, since the one
  /// before may load a first block, but not all.
  static bool loadsAtOnce(const KeepChange &change, ArrayRef<OpOperand *> reads) {
    return llvm::any_of(change.plans, [&](const auto &planned) {
      kernel::FusionOp fusion = planned.first;
      kernel::PlanAttr plan = planned.second;
      if (!plan.getAxes().empty() || fusion.getPlan()->getAxes().empty() ||
          llvm::none_of(operationsOf(fusion), isProduct))
        return false;
      return llvm::any_of(fusion->getOpOperands(), [&](OpOperand &operand) {
        return !llvm::is_contained(reads, &operand) && !kernel::residentOf(operand.get());
      });
    });
  }

  /// `fusion` with a copy of an array that it reads as another result, and its plan, which is that
  /// of its other results.
  static kernel::FusionOp withCopy(kernel::FusionOp fusion, Value array) {
    OpBuilder b(fusion);
    auto copy = stablehlo::ConvertOp::create(b, fusion.getLoc(), array.getType(), array);
    FusionDraft draft(fusion);
    IRMapping names;
    draft.append(fusion, names);
    SmallVector<Value> results;
    for (Value value : fusion.getBody().front().getTerminator()->getOperands())
      results.push_back(names.lookup(value));
    names.map(array, draft.input(array));
    draft.append(copy, names);
    results.push_back(names.lookup(copy.getResult()));
    kernel::FusionOp made = draft.finish(fusion.getLoc(), fusion.getKind(), results);
    copy.erase();
    made.setPlanAttr(*fusion.getPlan());
    if (std::optional<uint64_t> reserved = fusion.getReserved())
      made.setReserved(*reserved);
    return made;
  }

  Block &block;
  ResidentArrays &arrays;
  /// A kernel's start and end: about what it takes to load the code of one that was equal to
  /// others, and with a copy is not.
  double codeCycles;
  double trips = 1; ///< of the loop whose body the block is, for which that code is loaded once
  SmallVector<FusionCalls> fusions;
  SmallVector<Value> candidates;  ///< arrays, one after the other
  SmallVector<OpOperand *> reads; ///< of the array that is looked at
};

} // namespace

void keepCopies(Block &block, ResidentArrays &arrays) { CopyKeeper(block, arrays).run(); }

} // namespace systole
