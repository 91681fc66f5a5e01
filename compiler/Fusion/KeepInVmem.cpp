// Lets VMEM keep arrays that the kernels of a loop read in each trip.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Graph/CountedLoops.h"
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorTypes.h"
#include "compiler/Planning/Estimate.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Planning/StepBytes.h"
#include "compiler/Planning/Windows.h"
#include "dialects/Kernel/Keep.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_KEEPINVMEM
#include "compiler/Fusion/Passes.h.inc"

namespace {

using stablehlo::WhileOp;

/// Plans that are asked for to decide about the arrays of one loop.
constexpr int kMostPlans = 500;

/// The trips of a loop; of an unknown number the fewest that are more than one.
int64_t tripsOf(WhileOp loop) {
  std::optional<CountedLoop> counted = CountedLoop::of(loop);
  return counted ? counted->trips() : 2;
}

/// Whether the value is a part of an array, at a computed position.
bool isPart(Value value) {
  while (auto view = value.getDefiningOp<kernel::ReinterpretOp>())
    value = view.getSource();
  return value.getDefiningOp<kernel::PartOp>() != nullptr;
}

/// Whether the reader is a fusion that copies all that it reads of the array to VMEM in blocks.
bool isReadInBlocks(OpOperand &read) {
  auto fusion = dyn_cast<kernel::FusionOp>(read.getOwner());
  if (!fusion)
    return false;
  const unsigned number = read.getOperandNumber();
  for (unsigned result = 0; result < fusion.getNumResults(); ++result)
    if (updatedInput(fusion, result) == number)
      return false;
  BlockArgument argument = fusion.getBody().front().getArgument(number);
  return !readsInHbm(fusion, number) && llvm::all_of(argument.getUses(), [](OpOperand &use) {
    return !isWindowed(use) && !isIndexOperand(use);
  });
}

/// Whether it is a result of a fusion, and of no other name, that is copied from VMEM in blocks.
bool isWrittenInBlocks(OpResult result) {
  auto fusion = dyn_cast<kernel::FusionOp>(result.getOwner());
  if (!fusion || updatedInput(fusion, result.getResultNumber()))
    return false;
  ValueRange values = fusion.getBody().front().getTerminator()->getOperands();
  Value value = values[result.getResultNumber()];
  return !isa<BlockArgument>(value) && llvm::count(values, value) == 1;
}

/// An array, and the operands and results of fusions that are it.
struct Candidate {
  enum Kind {
    invariant, ///< from outside of the loop
    made,      ///< by a kernel in each trip, for later ones
    carried,   ///< from one trip to the next
    ahead,     ///< a part of an array, which can be loaded while other kernels run
  };
  Kind kind = invariant;
  Value array; ///< of a carried one the value in the body
  SmallVector<OpOperand *> reads = {};
  OpResult written = nullptr;
  int64_t bytes = 0;
  double copies = 0; ///< that are saved, in one trip

  void add(OpOperand &read, double calls) {
    reads.push_back(&read);
    copies += calls;
  }
};

/// Decides what VMEM keeps for one loop.
class LoopKeeper {
public:
  LoopKeeper(WhileOp loop, Planner &planner)
      : loop(loop), body(&loop.getBody().front()), planner(planner), trips(tripsOf(loop)) {}

  void run() {
    if (trips < 2 || !findFusions())
      return;
    SmallVector<Candidate> candidates = findCandidates();
    // Keeping one array may make it worth to keep another.
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (Candidate &candidate : candidates) {
        std::optional<Change> change;
        if (candidate.array && plans < kMostPlans)
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
  /// New plans, with the blocks in which VMEM has what is kept.
  struct Change {
    SmallVector<int64_t, 4> block;
    int64_t rows = 0;
    double gain = 0; ///< cycles of a trip
    SmallVector<std::pair<kernel::FusionOp, kernel::PlanAttr>> plans;
    SmallVector<std::pair<kernel::KeepOp, SmallVector<int64_t, 4>>> blocks;
  };

  /// The kernels in the loop, each with a plan.
  bool findFusions() {
    bool hasPlans = true;
    loop->walk([&](kernel::FusionOp fusion) {
      int64_t calls = 1;
      for (auto inner = fusion->getParentOfType<WhileOp>(); inner != loop;
           inner = inner->getParentOfType<WhileOp>())
        calls *= tripsOf(inner);
      fusions.insert({fusion, double(calls)});
      hasPlans &= planner.planFusion(fusion);
    });
    return hasPlans && !fusions.empty();
  }

  //===--------------------------------------------------------------------===//
  // Candidates
  //===--------------------------------------------------------------------===//

  /// Those that save the most copies for the room that they take come first.
  SmallVector<Candidate> findCandidates() {
    SmallVector<Candidate> found;
    findInvariant(found);
    for (Operation &op : *body) {
      if (auto fusion = dyn_cast<kernel::FusionOp>(op))
        for (OpResult result : fusion->getResults())
          findMade(result, found);
      if (auto part = dyn_cast<kernel::PartOp>(op))
        findAhead(part, found);
    }
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
      candidate.add(use, fusions.lookup(cast<kernel::FusionOp>(use.getOwner())));
    }
    return true;
  }

  void findMade(OpResult result, SmallVectorImpl<Candidate> &candidates) {
    Candidate candidate{Candidate::made, result};
    candidate.written = result;
    candidate.copies = 1;
    if (isWrittenInBlocks(result) && !result.use_empty() && addReads(candidate, result))
      candidates.push_back(std::move(candidate));
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

  int64_t freeBytes(kernel::FusionOp fusion, int64_t rows) const {
    return planner.machine().vmemBytes - (kernel::keptRowsAt(fusion) + rows) * kRowBytes;
  }

  /// The values of the body of `fusion` that are the candidate.
  static SmallVector<Value, 2> valuesOf(kernel::FusionOp fusion, const Candidate &candidate) {
    Block &block = fusion.getBody().front();
    SmallVector<Value, 2> values;
    for (OpOperand *read : candidate.reads)
      if (read->getOwner() == fusion)
        values.push_back(block.getArgument(read->getOperandNumber()));
    if (candidate.written && candidate.written.getOwner() == fusion)
      values.push_back(block.getTerminator()->getOperand(candidate.written.getResultNumber()));
    return values;
  }

  /// The array that `fusion` reads as argument `value`, if VMEM has it for this kernel alone, which
  /// can choose other blocks of it.
  static kernel::KeepOp ownKeep(kernel::FusionOp fusion, Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto keep = argument
                    ? fusion.getInputs()[argument.getArgNumber()].getDefiningOp<kernel::KeepOp>()
                    : nullptr;
    bool isOwn = keep && !kernel::isMadeInLoop(keep) && !kernel::isLoadedAhead(keep) &&
                 llvm::all_of(keep->getUsers(), [&](Operation *user) { return user == fusion; });
    return isOwn ? keep : nullptr;
  }

  /// Replans `fusion` with `rows` rows less, some of which are the candidate.
  bool plan(kernel::FusionOp fusion, const Candidate &candidate, Change &change) {
    ++plans;
    SmallVector<KeptOperand, 0> kept = keptOperands(fusion);
    for (KeptOperand &operand : kept)
      if (ownKeep(fusion, operand.value))
        operand.block.clear();
    SmallVector<Value, 2> values = valuesOf(fusion, candidate);
    for (Value value : values)
      kept.push_back({value, change.block});
    std::optional<kernel::PlanAttr> plan =
        planner.planIn(fusion, {freeBytes(fusion, change.rows), kept});
    if (!plan)
      return false;
    change.gain +=
        fusions.lookup(fusion) * double(fusion.getPlan()->getEstimate() - plan->getEstimate());
    change.plans.emplace_back(fusion, *plan);
    if (change.block.empty() && !values.empty())
      change.block = blockIn(fusion, *plan, values.front());
    for (const KeptOperand &operand : kept)
      if (kernel::KeepOp keep = ownKeep(fusion, operand.value)) {
        auto block = blockIn(fusion, *plan, operand.value);
        if (kernel::rowsInBlocks(typeOf(operand.value), block) > keep.getRows())
          return false;
        change.blocks.emplace_back(keep, std::move(block));
      }
    return true;
  }

  /// The block of `value` that `plan` has.
  static SmallVector<int64_t, 4> blockIn(kernel::FusionOp fusion, kernel::PlanAttr plan,
                                         Value value) {
    kernel::PlanAttr before = *fusion.getPlan();
    fusion.setPlanAttr(plan);
    FailureOr<Blocking> blocking = blockingOf(fusion);
    fusion.setPlanAttr(before);
    assert(succeeded(blocking) && "the planner makes plans that can be followed");
    return llvm::SmallVector<int64_t, 4>(blocking->copiedShape({value}));
  }

  bool fits(kernel::FusionOp fusion, int64_t rows) const {
    FailureOr<Blocking> blocking = blockingOf(fusion);
    SmallVector<Operation *> ops = operationsOf(fusion);
    Axes axes(ops);
    StepBytes bytes(ops, axes.groupTensors(), planner.machine().precision);
    return succeeded(blocking) && bytes.footprint(*blocking) <= freeBytes(fusion, rows);
  }

  /// The new plans if the candidate is kept; nothing if that does not pay.
  std::optional<Change> changeFor(const Candidate &candidate) {
    RankedTensorType type = typeOf(candidate.array);
    Change change;
    // An array that kernels write lies as a whole, as all of them can read it. The first reader of
    // another one chooses its blocks.
    if (candidate.kind != Candidate::invariant)
      change.block.assign(type.getShape().begin(), type.getShape().end());
    change.rows = kernel::rowsInBlocks(type, type.getShape());
    llvm::SmallSetVector<Operation *, 4> users;
    if (candidate.written)
      users.insert(candidate.written.getOwner());
    for (OpOperand *read : candidate.reads)
      users.insert(read->getOwner());
    const int64_t rows = change.rows;
    for (Operation *user : users)
      if (!plan(cast<kernel::FusionOp>(user), candidate, change))
        return std::nullopt;
    change.rows = kernel::rowsInBlocks(type, change.block);
    const int64_t copyBytes = kMostCopyRows * kRowBytes;
    if (change.gain <= 0 || change.rows > rows ||
        freeBytes(fusions.front().first, rows) < copyBytes)
      return std::nullopt;
    for (auto [fusion, calls] : fusions)
      if (!users.contains(fusion) && !fits(fusion, rows))
        if (!plan(fusion, candidate, change) || change.gain <= 0)
          return std::nullopt;
    const MachineModel &model = planner.machine().model;
    const double channel = model.channel(double(candidate.bytes), 1);
    double load = model.emptyKernel() + channel;
    if (candidate.kind == Candidate::made)
      load = 0;
    if (candidate.kind == Candidate::ahead && !(hasTimeFor(channel) && isStartedAlike(candidate)))
      return std::nullopt;
    return change.gain * double(trips) > load ? std::optional(std::move(change)) : std::nullopt;
  }

  /// Whether the trip in which a part is loaded is that of the others.
  bool isStartedAlike(const Candidate &candidate) const {
    bool isEarlier = startOf(candidate) == endsOf(candidate.reads).first;
    return aheadCount == 0 || isEarlier == isLoadedEarlier;
  }

  /// Cycles of one call in which HBM has nothing to do.
  double idleCycles(kernel::FusionOp fusion) const {
    const PlanningContext &machine = planner.machine();
    FailureOr<Blocking> blocking = blockingOf(fusion);
    SmallVector<Operation *> ops = operationsOf(fusion);
    if (failed(blocking) || ops.empty())
      return 0;
    Estimate estimate = estimateOf(ops, *blocking, machine.model, machine.precision);
    return std::max(estimate.cycles - estimate.busy[Estimate::hbm], 0.0);
  }

  /// Whether HBM has time for `cycles` more of loads while kernels run, and the queue a place.
  bool hasTimeFor(double cycles) const {
    constexpr int64_t kQueueShare = 4;
    double idle = -cycles - aheadCycles;
    for (auto [fusion, calls] : fusions)
      idle += calls * idleCycles(fusion);
    return idle >= 0 && aheadCount < planner.machine().model.dmaQueueDepth() / kQueueShare;
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

  void apply(const Candidate &candidate, const Change &change) {
    OpBuilder b(loop);
    Value source = candidate.array;
    const bool isCarried = candidate.kind == Candidate::carried;
    unsigned number = isCarried ? cast<BlockArgument>(source).getArgNumber() : 0;
    if (isCarried)
      source = loop.getOperand()[number];
    else if (candidate.kind == Candidate::made)
      b.setInsertionPointAfter(source.getDefiningOp());
    if (candidate.kind == Candidate::ahead) {
      Operation *start = startOf(candidate);
      isLoadedEarlier = start == endsOf(candidate.reads).first;
      b.setInsertionPoint(start);
      ++aheadCount;
      aheadCycles += planner.machine().model.channel(double(candidate.bytes), 1);
    }
    Value kept = kernel::KeepOp::create(b, source.getLoc(), source.getType(), source, change.block);
    if (isCarried)
      loop->setOperand(number, kept);
    else
      for (OpOperand *read : candidate.reads)
        read->set(kept);
    for (auto &[keep, block] : change.blocks)
      kernel::KeepOp(keep).setBlock(block);
    for (auto [fusion, plan] : change.plans)
      fusion.setPlanAttr(plan);
  }

  WhileOp loop;
  Block *body;
  Planner &planner;
  int64_t trips;
  llvm::MapVector<kernel::FusionOp, double> fusions; ///< with their calls in one trip
  int plans = 0;
  /// Parts that trips load ahead: their number, and cycles of HBM's channel.
  int64_t aheadCount = 0;
  double aheadCycles = 0;
  bool isLoadedEarlier = false; ///< by the trip before, all of them
};

struct KeepInVmem : PlanningPass<impl::KeepInVmemBase<KeepInVmem>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
    // Outer loops first: what they keep is loaded less often.
    SmallVector<WhileOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>([&](WhileOp loop) { loops.push_back(loop); });
    for (WhileOp loop : loops)
      LoopKeeper(loop, planner()).run();
  }
};

} // namespace

std::unique_ptr<Pass> createKeepInVmem(std::shared_ptr<Planner> planner) {
  return std::make_unique<KeepInVmem>(std::move(planner));
}

} // namespace systole
