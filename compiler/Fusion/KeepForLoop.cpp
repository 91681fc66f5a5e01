// Decides which arrays VMEM keeps for all trips of a loop.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/KeptArrays.h"
#include "compiler/Graph/CountedLoops.h"
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorTypes.h"
#include "compiler/Planning/Estimate.h"
#include "compiler/Planning/PlanAttribute.h"
#include "dialects/Kernel/SyncFlags.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace systole {
namespace {

using stablehlo::WhileOp;

/// Plans that are asked for to decide about the arrays of one loop.
constexpr int kMostPlans = 500;

/// Whether the value is a part of an array, at a computed position.
bool isPart(Value value) {
  while (auto view = value.getDefiningOp<kernel::ReinterpretOp>())
    value = view.getSource();
  return value.getDefiningOp<kernel::PartOp>() != nullptr;
}

/// An array that VMEM could keep for a loop.
struct Candidate : KeepCandidate {
  enum Kind {
    invariant, ///< from outside of the loop
    carried,   ///< from one trip to the next
    ahead,     ///< a part of an array, which can be loaded while other kernels run
  };
  Kind kind = invariant;
  int64_t bytes = 0;
  double copies = 0; ///< that are saved, in one trip

  Candidate() = default;
  Candidate(Kind kind, Value array) : KeepCandidate{array}, kind(kind) {}
  void add(OpOperand &read, double calls) {
    reads.push_back(&read);
    copies += calls;
  }
};

/// Decides what VMEM keeps for one loop.
class LoopKeeper {
public:
  LoopKeeper(WhileOp loop, KeptArrays &arrays)
      : loop(loop), body(&loop.getBody().front()), arrays(arrays), trips(tripsOf(loop)),
        model(arrays.planner().machine().model) {}

  void run() {
    if (trips < 2 || !findFusions())
      return;
    SmallVector<Candidate> candidates = findCandidates();
    const int before = arrays.planCount();
    // Keeping one array may make it worth to keep another.
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (Candidate &candidate : candidates) {
        std::optional<KeepChange> change;
        if (candidate.array && arrays.planCount() - before < kMostPlans)
          change = changeFor(candidate);
        if (!change)
          continue;
        apply(candidate, *change);
        candidate.array = nullptr;
        isChanged = true;
      }
    }
  }

private:
  /// The kernels in the loop, each with a plan.
  bool findFusions() {
    for (Region &region : loop->getRegions()) {
      std::optional<SmallVector<FusionCalls>> found = arrays.fusionsIn(region.front());
      if (!found)
        return false;
      llvm::append_range(fusions, *found);
    }
    for (const FusionCalls &call : fusions)
      callsOf[call.fusion] = call.calls;
    return !fusions.empty();
  }

  //===--------------------------------------------------------------------===//
  // Candidates
  //===--------------------------------------------------------------------===//

  /// Those that save the most copies for the room that they take come first.
  SmallVector<Candidate> findCandidates() {
    SmallVector<Candidate> found;
    findInvariant(found);
    for (auto part : body->getOps<kernel::PartOp>())
      findAhead(part, found);
    for (auto [number, argument] : llvm::enumerate(body->getArguments()))
      findCarried(number, argument, found);
    llvm::erase_if(found, [](const Candidate &candidate) {
      return kernel::keepOf(candidate.array) || typeOf(candidate.array).getNumElements() <= 1;
    });
    for (Candidate &candidate : found)
      candidate.bytes = paddedBytes(typeOf(candidate.array));
    llvm::stable_sort(found, [](const Candidate &a, const Candidate &b) {
      return std::pair(a.copies, a.bytes) > std::pair(b.copies, b.bytes);
    });
    return found;
  }

  void findInvariant(SmallVectorImpl<Candidate> &candidates) {
    llvm::MapVector<Value, Candidate> found;
    for (auto [fusion, calls] : fusions)
      for (OpOperand &read : fusion->getOpOperands()) {
        Value array = read.get();
        if (loop->isAncestor(array.getParentRegion()->getParentOp()) || isPart(array))
          continue;
        Candidate &candidate = found[array];
        candidate.array = array;
        candidate.isWhole = false;
        candidate.add(read, calls);
      }
    for (auto &[array, candidate] : found)
      if (llvm::all_of(candidate.reads, [](OpOperand *read) { return isReadInBlocks(*read); }))
        candidates.push_back(std::move(candidate));
  }

  /// Adds the uses of `value` to `candidate`, if all are reads in blocks but for `allowed`.
  bool addReads(Candidate &candidate, Value value, OpOperand *allowed = nullptr) {
    for (OpOperand &use : value.getUses()) {
      if (&use == allowed)
        continue;
      if (!isReadInBlocks(use))
        return false;
      candidate.add(use, callsOf.lookup(use.getOwner()));
    }
    return true;
  }

  /// Loop-carried values that a kernel replaces after all others have read them.
  void findCarried(unsigned number, BlockArgument argument,
                   SmallVectorImpl<Candidate> &candidates) {
    OpOperand &next = body->getTerminator()->getOpOperand(number);
    auto result = dyn_cast<OpResult>(next.get());
    Value init = loop.getOperand()[number];
    if (!result || result.getOwner()->getBlock() != body || !isWrittenInBlocks(result) ||
        init.getDefiningOp<kernel::UninitializedOp>() || isPart(init) || kernel::keepOf(init))
      return;
    Candidate candidate{Candidate::carried, argument};
    candidate.written = result;
    candidate.copies = 1;
    bool isRead =
        addReads(candidate, argument) && addReads(candidate, loop.getCond().getArgument(number));
    bool isLast = llvm::all_of(candidate.reads, [&](OpOperand *read) {
      Operation *reader = body->findAncestorOpInBlock(*read->getOwner());
      return !reader || reader->isBeforeInBlock(result.getOwner());
    });
    if (isRead && isLast && addReads(candidate, result, &next) && !candidate.reads.empty())
      candidates.push_back(std::move(candidate));
  }

  /// A part whose position in the next trip is known. Loads of inner loops would be waited for
  /// together, and the host's copies take their places in the queue.
  void findAhead(kernel::PartOp part, SmallVectorImpl<Candidate> &candidates) {
    auto isOther = [](Operation *op) {
      return isa<WhileOp>(op) || kindOf(op) == OpKind::Transfer ? WalkResult::interrupt()
                                                                : WalkResult::advance();
    };
    std::optional<CountedLoop> counted = CountedLoop::of(loop);
    if (!counted || !counted->isInvariant(part.getSource()) || kernel::keepOf(part.getSource()) ||
        loop.getBody().walk(isOther).wasInterrupted() ||
        !llvm::all_of(part.getStarts(), [&](Value start) { return counted->indexOf(start); }))
      return;
    Candidate candidate{Candidate::ahead, part.getResult()};
    if (addReads(candidate, part.getResult()) && !candidate.reads.empty())
      candidates.push_back(std::move(candidate));
  }

  //===--------------------------------------------------------------------===//
  // Plans
  //===--------------------------------------------------------------------===//

  /// The new plans if the candidate is kept; nothing if that does not pay.
  std::optional<KeepChange> changeFor(const Candidate &candidate) {
    std::optional<KeepChange> change = arrays.changeFor(candidate, {loop, loop}, fusions);
    if (!change)
      return std::nullopt;
    const double channel = model.channel(double(candidate.bytes), 1);
    if (candidate.kind == Candidate::ahead && !hasTimeFor(channel))
      return std::nullopt;
    const double load = model.emptyKernel() + channel;
    return change->gain * double(trips) > load ? change : std::nullopt;
  }

  /// Cycles of one call in which HBM has nothing to do.
  double idleCycles(kernel::FusionOp fusion) const {
    FailureOr<Blocking> blocking = blockingOf(fusion);
    SmallVector<Operation *> ops = operationsOf(fusion);
    if (failed(blocking) || ops.empty())
      return 0;
    Estimate estimate = estimateOf(ops, *blocking, model, arrays.planner().machine().precision);
    return std::max(estimate.cycles - estimate.busy[Estimate::hbm], 0.0);
  }

  /// Whether HBM has time for `cycles` more of loads while kernels run, and the queue a place.
  bool hasTimeFor(double cycles) const {
    constexpr int64_t kQueueShare = 4;
    double idle = -cycles - aheadCycles;
    for (auto [fusion, calls] : fusions)
      idle += calls * idleCycles(fusion);
    return idle >= 0 &&
           aheadCount < std::min(model.dmaQueueDepth() / kQueueShare, int64_t(kernel::kMostLoads));
  }

  /// The operations of the body that are, or have, the first and the last of the readers.
  std::pair<Operation *, Operation *> endsOf(ArrayRef<OpOperand *> reads) const {
    Operation *first = body->findAncestorOpInBlock(*reads.front()->getOwner()), *last = first;
    for (OpOperand *read : reads.drop_front()) {
      Operation *reader = body->findAncestorOpInBlock(*read->getOwner());
      first = reader->isBeforeInBlock(first) ? reader : first;
      last = last->isBeforeInBlock(reader) ? reader : last;
    }
    return {first, last};
  }

  /// Before which kernel of the trip to load a part for its readers: the one that leaves HBM the
  /// most time of those before them. The first reader if one behind them leaves more: then the trip
  /// before loads it there.
  Operation *startOf(const Candidate &candidate) const {
    auto [first, last] = endsOf(candidate.reads);
    Operation *start = first, *part = candidate.array.getDefiningOp();
    double most = 0;
    for (auto fusion : body->getOps<kernel::FusionOp>()) {
      bool isBefore = part->isBeforeInBlock(fusion) && fusion->isBeforeInBlock(first);
      if (!isBefore && !last->isBeforeInBlock(fusion))
        continue;
      double idle = idleCycles(fusion);
      if (idle > most) {
        most = idle;
        start = isBefore ? fusion.getOperation() : first;
      }
    }
    return start;
  }

  void apply(const Candidate &candidate, const KeepChange &change) {
    OpBuilder b(loop);
    Value source = candidate.array;
    const bool isCarried = candidate.kind == Candidate::carried;
    unsigned number = isCarried ? cast<BlockArgument>(source).getArgNumber() : 0;
    auto residency = isCarried ? kernel::Residency::carried : kernel::Residency::loop;
    int32_t flag = -1;
    if (isCarried)
      source = loop.getOperand()[number];
    if (candidate.kind == Candidate::ahead) {
      Operation *start = startOf(candidate);
      residency = start == endsOf(candidate.reads).first ? kernel::Residency::prefetch
                                                         : kernel::Residency::iteration;
      b.setInsertionPoint(start);
      // No other copies are in flight at the loops that load parts.
      flag = kernel::kFirstCopyFlag + int32_t(aheadCount++);
      aheadCycles += model.channel(double(candidate.bytes), 1);
    }
    Value kept = arrays.keep(b, source, change, residency, flag, fusions);
    if (isCarried)
      loop->setOperand(number, kept);
    else
      for (OpOperand *read : candidate.reads)
        read->set(kept);
  }

  WhileOp loop;
  Block *body;
  KeptArrays &arrays;
  int64_t trips;
  const MachineModel &model;
  SmallVector<FusionCalls> fusions; ///< in one trip
  llvm::DenseMap<Operation *, double> callsOf;
  /// Parts that trips load ahead: their number, and cycles of HBM's channel.
  int64_t aheadCount = 0;
  double aheadCycles = 0;
};

} // namespace

void keepForLoop(WhileOp loop, KeptArrays &arrays) { LoopKeeper(loop, arrays).run(); }

} // namespace systole
