// Decides which arrays VMEM keeps from the kernel that writes them to those that read them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Residency/Residency.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {
namespace {

/// Plans that are asked for to decide about the arrays of one block.
constexpr int kMostBlockPlans = 10000;

/// Decides which results of fusions of one block VMEM keeps until their last readers have run.
class BlockKeeper {
public:
  BlockKeeper(Block &block, ResidentArrays &arrays) : block(block), arrays(arrays) {}

  void run() {
    std::optional<SmallVector<FusionCalls>> found = arrays.fusionsIn(block);
    if (!found || found->size() < 2)
      return;
    fusions = *std::move(found);
    for (auto [number, call] : llvm::enumerate(fusions)) {
      auto [it, isNew] = ranges.try_emplace(block.findAncestorOpInBlock(*call.fusion), number, 0);
      it->second.second = number + 1;
    }
    const int before = arrays.planCount();
    for (Candidate &candidate : findCandidates()) {
      if (arrays.planCount() - before >= kMostBlockPlans)
        return;
      // A whole one is there for kernels with different blocks, others for those with equal ones.
      for (bool isWhole : {true, false}) {
        candidate.isWhole = isWhole;
        std::optional<KeepChange> change =
            arrays.changeFor(candidate, candidate.lifetime, during(candidate.lifetime));
        if (!change)
          continue;
        apply(candidate, *change);
        break;
      }
    }
  }

private:
  struct Candidate : KeepCandidate {
    kernel::Lifetime lifetime;
  };

  /// The fusions that run during a lifetime.
  ArrayRef<FusionCalls> during(kernel::Lifetime lifetime) const {
    unsigned begin = ranges.lookup(lifetime.first).first, end = ranges.lookup(lifetime.last).second;
    return ArrayRef(fusions).slice(begin, end - begin);
  }

  /// Those that are kept for the fewest kernels come first, as they leave the most to others; and
  /// so equal parts of a program get equal places, and share code.
  SmallVector<Candidate> findCandidates() {
    SmallVector<Candidate> candidates;
    for (auto fusion : block.getOps<kernel::FusionOp>())
      for (OpResult result : fusion->getResults())
        if (typeOf(result).getNumElements() > 1 && isWrittenInBlocks(result) &&
            !result.use_empty() && llvm::all_of(result.getUses(), isReadInBlocks))
          candidates.push_back(candidateOf(result));
    llvm::stable_sort(candidates, [&](const Candidate &a, const Candidate &b) {
      return during(a.lifetime).size() < during(b.lifetime).size();
    });
    return candidates;
  }

  Candidate candidateOf(OpResult result) {
    Operation *fusion = result.getOwner();
    Candidate candidate{{result, {}, result}, {fusion, fusion}};
    for (OpOperand &use : result.getUses()) {
      candidate.reads.push_back(&use);
      Operation *reader = block.findAncestorOpInBlock(*use.getOwner());
      if (candidate.lifetime.last->isBeforeInBlock(reader))
        candidate.lifetime.last = reader;
    }
    return candidate;
  }

  void apply(const Candidate &candidate, const KeepChange &change) {
    OpBuilder b(block.getParentOp()->getContext());
    b.setInsertionPointAfter(candidate.written.getOwner());
    Value resident = arrays.keep(b, candidate.array, change, kernel::Residency::kernels,
                                 /*flag=*/-1, during(candidate.lifetime));
    for (OpOperand *read : candidate.reads)
      read->set(resident);
  }

  Block &block;
  ResidentArrays &arrays;
  SmallVector<FusionCalls> fusions;
  /// The numbers of the fusions that operations of the block are, or have.
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> ranges;
};

} // namespace

void keepBetweenKernels(Block &block, ResidentArrays &arrays) { BlockKeeper(block, arrays).run(); }

} // namespace systole
