// Decides which parts of arrays iterations of a loop load to VMEM while other kernels run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Residency/KeepParts.h"

#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/SyncFlags.h"

using namespace mlir;

namespace systole {

using stablehlo::WhileOp;

/// Plans that are asked for to decide about the parts of one loop.
static constexpr int kMostPartPlans = 500;
/// The share of the DMA queue that loads may take.
static constexpr int64_t kQueueShare = 4;

/// The loop if it may load parts. Loads of inner loops would be waited for together, and the host's
/// copies take their places in the queue.
static std::optional<CountedLoop> loopWithLoads(WhileOp loop) {
  auto isOther = [](Operation *op) {
    return isa<WhileOp>(op) || kindOf(op) == OpKind::Transfer ? WalkResult::interrupt()
                                                              : WalkResult::advance();
  };
  std::optional<CountedLoop> counted = CountedLoop::of(loop);
  bool mayLoad = counted && counted->trips() > 1 && !loop.getBody().walk(isOther).wasInterrupted();
  return mayLoad ? counted : std::nullopt;
}

PartKeeper::PartKeeper(WhileOp loop, ArrayRef<FusionCalls> fusions, ResidentArrays &arrays)
    : loop(loop), fusions(fusions), arrays(arrays), model(arrays.planner().machine().model),
      counted(loopWithLoads(loop)),
      schedule(loop, counted ? counted->trips() : 1, fusions, arrays.planner().machine()) {
  if (counted)
    findCandidates();
}

bool PartKeeper::run() {
  const size_t count = parts.size();
  // Loading one part ahead may make it worth to load another.
  while (keepEach() || keepTogether()) {
  }
  return parts.size() > count;
}

/// Those of most bytes first.
void PartKeeper::findCandidates() {
  for (auto part : counted->body().getOps<kernel::PartOp>())
    if (std::optional<Candidate> candidate = candidateOf(part))
      candidates.push_back(*std::move(candidate));
  llvm::stable_sort(candidates,
                    [](const Candidate &a, const Candidate &b) { return a.bytes > b.bytes; });
}

std::optional<PartKeeper::Candidate> PartKeeper::candidateOf(kernel::PartOp part) const {
  Value array = part.getResult();
  if (!counted->isInvariant(part.getSource()) || kernel::residentOf(part.getSource()) ||
      kernel::residentOf(array) || typeOf(array).getNumElements() <= 1 || array.use_empty() ||
      !llvm::all_of(array.getUses(), isReadInBlocks) ||
      !llvm::all_of(part.getStarts(), [&](Value start) { return counted->indexOf(start); }))
    return std::nullopt;
  Candidate candidate{{array}, double(paddedBytes(typeOf(array)))};
  for (OpOperand &use : array.getUses()) {
    candidate.reads.push_back(&use);
    Operation *reader = counted->body().findAncestorOpInBlock(*use.getOwner());
    if (!candidate.first || reader->isBeforeInBlock(candidate.first))
      candidate.first = reader;
    if (!candidate.last || candidate.last->isBeforeInBlock(reader))
      candidate.last = reader;
  }
  return candidate;
}

bool PartKeeper::mayKeep(const Candidate &candidate) const {
  return !candidate.isResident && planCount < kMostPartPlans;
}

/// Loads each part ahead that pays by itself; whether one does.
bool PartKeeper::keepEach() {
  const size_t count = parts.size();
  for (Candidate &candidate : candidates) {
    if (!mayKeep(candidate))
      continue;
    const double before = cycles();
    if (prefetch(candidate) && cycles() + model.emptyKernel() >= before)
      undoLast();
  }
  return parts.size() > count;
}

/// Loads parts ahead that pay together: a kernel whose own operands come from HBM waits for loads
/// that have started before it, until they are loaded ahead, too.
bool PartKeeper::keepTogether() {
  double best = cycles() - model.emptyKernel();
  const size_t before = parts.size();
  size_t count = before;
  for (Candidate &candidate : candidates) {
    if (!mayKeep(candidate) || !prefetch(candidate))
      continue;
    if (const double now = cycles(); now < best) {
      best = now;
      count = parts.size();
    }
  }
  while (parts.size() > count)
    undoLast();
  return count > before;
}

/// The cycles of the loop as it is.
double PartKeeper::cycles() {
  return schedule.cyclesOf(llvm::map_to_vector(parts, [](const Part &part) { return part.load; }));
}

static void setReads(const KeepCandidate &candidate, Value value) {
  for (OpOperand *read : candidate.reads)
    read->set(value);
}

/// Loads a part ahead; whether VMEM and the queue have room for it, and its readers gain by it.
bool PartKeeper::prefetch(Candidate &candidate) {
  const auto count = int64_t(parts.size());
  if (count >= std::min(model.dmaQueueDepth() / kQueueShare, int64_t(kernel::kMostLoads)))
    return false;
  const int before = arrays.planCount();
  std::optional<KeepChange> change = arrays.changeFor(candidate, {loop, loop}, fusions);
  planCount += arrays.planCount() - before;
  if (!change)
    return false;
  Part part{&candidate,
            nullptr,
            arrays.inverse(*change),
            {model.channel(candidate.bytes, 1), candidate.first, candidate.last}};
  // No other copies are in flight at the loops that load parts.
  const int32_t flag = kernel::kFirstCopyFlag + int32_t(count);
  OpBuilder b(candidate.first);
  part.resident = arrays.keep(b, candidate.array, *change, kernel::Residency::prefetch, flag, fusions);
  setReads(candidate, part.resident);
  schedule.forget(*change);
  candidate.isResident = true;
  parts.push_back(std::move(part));
  chooseStarts();
  return true;
}

/// Each start depends on the others, so that those of earlier parts may change.
void PartKeeper::chooseStarts() {
  for (Part &part : llvm::reverse(parts))
    chooseStart(part);
}

/// When to load a part: where the loop takes least, and of such places at the kernel that leaves
/// HBM the most time. Before one that is in front of all readers, or behind these for the next
/// iteration.
void PartKeeper::chooseStart(Part &part) {
  Operation *source = part.resident.getSource().getDefiningOp(), *start = nullptr;
  auto isKnown = [&](Operation *place) {
    return llvm::all_of(source->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return !producer || producer->getBlock() != source->getBlock() ||
             producer->isBeforeInBlock(place);
    });
  };
  part.load.start = nullptr;
  double least = cycles(), most = 0;
  SmallVector<Operation *> places;
  for (auto fusion : counted->body().getOps<kernel::FusionOp>()) {
    if (part.load.last->isBeforeInBlock(fusion))
      most = std::max(most, schedule.idleCycles(fusion));
    else if (fusion->isBeforeInBlock(part.load.first) && isKnown(fusion))
      places.push_back(fusion);
  }
  for (Operation *place : places) {
    part.load.start = place;
    const double now = cycles(), idle = schedule.idleCycles(cast<kernel::FusionOp>(place));
    if (now >= least + 1 || (now > least - 1 && idle <= most))
      continue;
    least = now;
    most = idle;
    start = place;
  }
  part.load.start = start;
}

void PartKeeper::placeLoads() {
  for (Part &part : parts) {
    Operation *start = part.load.start, *source = part.resident.getSource().getDefiningOp();
    if (!start)
      continue;
    if (!source->isBeforeInBlock(start))
      source->moveBefore(start);
    part.resident->moveBefore(start);
    const kernel::PlacementAttr placement = part.resident.getPlacement();
    part.resident.setPlacementAttr(
        kernel::PlacementAttr::get(part.resident.getContext(), kernel::Residency::iteration,
                                   placement.getRows(), placement.getPlace(), placement.getFlag()));
  }
}

void PartKeeper::undoLast() {
  Part part = parts.pop_back_val();
  part.candidate->isResident = false;
  setReads(*part.candidate, part.resident.getSource());
  schedule.forget(part.before);
  arrays.undo(part.resident, part.before);
  chooseStarts();
}

} // namespace systole
