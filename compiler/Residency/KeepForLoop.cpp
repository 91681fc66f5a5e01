// Decides which arrays VMEM keeps for all trips of a loop.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Residency/KeepParts.h"
#include "compiler/Residency/Residency.h"
#include "compiler/Tensor/TensorTypes.h"

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
  LoopKeeper(WhileOp loop, ResidentArrays &arrays)
      : loop(loop), body(&loop.getBody().front()), arrays(arrays), trips(tripsOf(loop)),
        model(arrays.planner().machine().model) {}

  void run() {
    if (trips < 2 || !findFusions())
      return;
    SmallVector<Candidate> candidates = findCandidates();
    parts.emplace(loop, fusions, arrays);
    // Keeping one array may make it worth to keep another, or to load parts of others ahead.
    while (keepEach(candidates) || parts->run()) {
    }
    parts->placeLoads();
  }

private:
  /// The kernels in the loop, each with a plan.
  bool findFusions() {
    std::optional<SmallVector<FusionCalls>> found = arrays.fusionsIn(loop);
    if (!found)
      return false;
    fusions = *std::move(found);
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
    for (auto [number, argument] : llvm::enumerate(body->getArguments()))
      findCarried(number, argument, found);
    llvm::erase_if(found, [](const Candidate &candidate) {
      return kernel::residentOf(candidate.array) || typeOf(candidate.array).getNumElements() <= 1;
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
        init.getDefiningOp<kernel::UninitializedOp>() || isPart(init) || kernel::residentOf(init))
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

  //===--------------------------------------------------------------------===//
  // Plans
  //===--------------------------------------------------------------------===//

  /// Keeps each candidate that pays with what else VMEM keeps; whether one does.
  bool keepEach(MutableArrayRef<Candidate> candidates) {
    bool isChanged = false;
    for (Candidate &candidate : candidates) {
      std::optional<KeepChange> change;
      if (candidate.array && planCount < kMostPlans)
        change = changeFor(candidate);
      if (!change)
        continue;
      apply(candidate, *change);
      candidate.array = nullptr;
      isChanged = true;
    }
    return isChanged;
  }

  /// The new plans if the candidate is kept; nothing if that does not pay.
  std::optional<KeepChange> changeFor(const Candidate &candidate) {
    const int before = arrays.planCount();
    std::optional<KeepChange> change = arrays.changeFor(candidate, {loop, loop}, fusions);
    planCount += arrays.planCount() - before;
    if (!change)
      return std::nullopt;
    const double channel = model.channel(double(candidate.bytes), 1);
    const double load = model.emptyKernel() + channel;
    return change->gain * double(trips) > load ? change : std::nullopt;
  }

  void apply(const Candidate &candidate, const KeepChange &change) {
    OpBuilder b(loop);
    Value source = candidate.array;
    const bool isCarried = candidate.kind == Candidate::carried;
    unsigned number = isCarried ? cast<BlockArgument>(source).getArgNumber() : 0;
    auto residency = isCarried ? kernel::Residency::carried : kernel::Residency::loop;
    if (isCarried)
      source = loop.getOperand()[number];
    parts->forget(change);
    Value resident = arrays.keep(b, source, change, residency, /*flag=*/-1, fusions);
    if (isCarried)
      loop->setOperand(number, resident);
    else
      for (OpOperand *read : candidate.reads)
        read->set(resident);
  }

  WhileOp loop;
  Block *body;
  ResidentArrays &arrays;
  int64_t trips;
  const MachineModel &model;
  SmallVector<FusionCalls> fusions; ///< in one trip
  llvm::DenseMap<Operation *, double> callsOf;
  int planCount = 0; ///< plans that were asked for
  std::optional<PartKeeper> parts;
};

} // namespace

void keepForLoop(WhileOp loop, ResidentArrays &arrays) { LoopKeeper(loop, arrays).run(); }

} // namespace systole
