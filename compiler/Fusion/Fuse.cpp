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
#include "compiler/Fusion/Groups.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/Alternatives.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Planning/SequencerScalars.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"
#include "compiler/Tensor/TensorTypes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_FUSE
#include "compiler/Fusion/Passes.h.inc"

namespace {

/// Constants up to this size are part of the program's image when control flow reads them.
constexpr int64_t kConstantBytes = 4 << 10;

/// Operations that must share a kernel, each with the number that they share. They stand one
/// behind the other.
using Units = llvm::DenseMap<Operation *, unsigned>;

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
class BlockFuser : Groups {
public:
  BlockFuser(Block &block, Planner &planner, const SequencerScalars &scalars, const Units &units)
      : Groups(block, planner), scalars(scalars), units(units) {}

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

  /// Groups that must come before a reader, -1 for none: those whose data it reads,
  /// which it may join, and those that scalars of the sequencer wait for.
  struct Needs {
    int64_t data = -1, scalars = -1;
    void add(const Needs &other) {
      data = std::max(data, other.data);
      scalars = std::max(scalars, other.scalars);
    }
  };

  Needs needsOf(Value value) const {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block)
      return {};
    if (auto it = readyAfter.find(op); it != readyAfter.end())
      return {-1, it->second};
    if (auto it = groupOf.find(op); it != groupOf.end()) {
      if (isUpdatedInHbm(value))
        return {-1, it->second};
      return {it->second, -1};
    }
    if (placing.contains(op))
      return {};
    Needs needs;
    for (Value operand : op->getOperands())
      needs.add(needsOf(operand));
    return needs;
  }

  Needs needsOf(Operation *op) const {
    Needs needs;
    for (OpOperand &operand : op->getOpOperands()) {
      Needs more = needsOf(operand.get());
      // Positions are scalars wherever they come from, and windows are in HBM.
      if (isIndexOperand(operand) || isWindowed(operand))
        more.scalars = std::max(more.scalars, std::exchange(more.data, -1));
      needs.add(more);
    }
    // An update in HBM comes after all that reads the old array before it.
    if (op->getNumResults() == 1 && isUpdatedInHbm(op->getResult(0)))
      for (Operation *user : op->getOperand(0).getUsers())
        if (auto it = groupOf.find(block.findAncestorOpInBlock(*user)); it != groupOf.end())
          needs.data = std::max(needs.data, it->second);
    return needs;
  }

  /// Whether an update in HBM and other operations of one kernel would meet in its operand: all
  /// but windows that are read before it.
  static bool meetsUpdate(ArrayRef<Operation *> ops) {
    for (auto [number, op] : llvm::enumerate(ops)) {
      if (op->getNumResults() != 1 || !isUpdatedInHbm(op->getResult(0)))
        continue;
      for (auto [other, user] : llvm::enumerate(ops))
        for (OpOperand &operand : user->getOpOperands())
          if (user != op && operand.get() == op->getOperand(0) &&
              (other > number || !isWindowed(operand) || isUpdatedInHbm(user->getResult(0))))
            return true;
    }
    return false;
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
        countOperands(withRepeated(ops)) > kMaxOperands) {
      for (Operation *op : ops)
        place(op);
      return;
    }
    if (isAddend(ops))
      addends.insert(ops.front());
    else
      start(ops);
  }

  /// Joins the last producer's kernel; small work without one, the last kernel of all.
  bool joinLast(ArrayRef<Operation *> ops) {
    Needs needs;
    for (Operation *op : ops)
      needs.add(needsOf(op));
    int64_t first = std::max(needs.data, needs.scalars + 1);
    int64_t last = static_cast<int64_t>(groups.size()) - 1;
    bool joinsData = needs.data >= first && canJoin(needs.data, ops);
    bool joinsAny = last >= first && last != needs.data && isMostlyLatency(ops);
    if (!joinsData && !(joinsAny && canJoin(last, ops)))
      return false;
    join(joinsData ? needs.data : last, ops);
    return true;
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

  /// Whether a kernel of `ops` alone would wait for its first and last copies most of the time:
  /// then any other kernel may take them along.
  bool isMostlyLatency(ArrayRef<Operation *> ops) {
    if (llvm::any_of(ops, isProduct))
      return false;
    std::optional<Plan> plan = planner.plan(withRepeated(ops));
    return plan && plan->cycles <= 2 * planner.machine().model.emptyKernel();
  }

  /// Whether `op` is elementwise work on the results of elementwise work of one group alone, which
  /// has them in registers: no plan of two kernels can be faster, if there is a plan of one. Narrow
  /// results are excepted: they restrict the tiles, as several of their rows share a row of memory.
  bool isChained(int64_t number, Operation *op) const {
    bool reads = false;
    return kindOf(op) == OpKind::Elementwise &&
           llvm::all_of(
               op->getResults(),
               [](Value result) { return typeOf(result).getElementTypeBitWidth() >= 32; }) &&
           llvm::all_of(op->getOperands(),
                        [&](Value value) {
                          Operation *producer = value.getDefiningOp();
                          if (isSplatConstant(producer))
                            return true;
                          auto it = groupOf.find(producer);
                          bool isInside = it != groupOf.end() && it->second == number;
                          reads |= isInside;
                          return isInside && kindOf(producer) == OpKind::Elementwise &&
                                 typeOf(value).getShape() == typeOf(op->getResult(0)).getShape();
                        }) &&
           reads;
  }

  /// Bytes of the arrays that `ops` and `added` make for operations that are not among them, or not
  /// yet.
  static int64_t resultBytes(ArrayRef<Operation *> ops, ArrayRef<Operation *> added) {
    llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
    inside.insert(added.begin(), added.end());
    int64_t bytes = 0;
    for (Operation *op : inside)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return !inside.contains(user); }))
          bytes += paddedBytes(typeOf(result));
    return bytes;
  }

  bool canJoin(int64_t number, ArrayRef<Operation *> added) {
    Group &group = groups[number];
    if (group.control || isView(group) || countWork(group.ops) + countWork(added) > kMaxGroupOps)
      return false;
    SmallVector<Operation *> ops = withRepeated(group.ops);
    llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
    for (Operation *op : added) {
      if (isProduct(op) && group.hasProduct)
        return false;
      // What depends on this group's results is not known to the sequencer yet.
      if (needsOf(op).scalars >= number)
        return false;
      appendRepeated(op, ops, inside);
      ops.push_back(op);
    }
    if (meetsUpdate(ops) || countOperands(ops) > kMaxOperands)
      return false;
    if (added.size() == 1 && isChained(number, added.front()) &&
        resultBytes(group.ops, added) <= group.plannedBytes) {
      if (auto found = remark::passed(added.front()->getLoc(), remarkOf("Join")))
        found << remark::reason("its operands are in registers");
      return true;
    }
    // Operations that have no kernel of their own have to join.
    std::optional<double> all = cyclesOf(number, ops);
    std::optional<double> before = cyclesOf(number, withRepeated(group.ops));
    std::optional<double> alone = cyclesOf(groups.size(), withRepeated(added));
    bool joins = all && (!before || !alone || *all <= *before + *alone);
    remarkJoin(added.front()->getLoc(), joins, ops, all, before, alone);
    if (joins)
      group.plannedBytes = resultBytes(group.ops, added);
    return joins;
  }

  static constexpr remark::RemarkOpts remarkOf(StringRef name) {
    return remark::RemarkOpts::name(name).category("systole-fuse");
  }

  /// Says what one kernel of `ops` and two take, as far as there are such.
  void remarkJoin(Location loc, bool joins, ArrayRef<Operation *> ops, std::optional<double> all,
                  std::optional<double> before, std::optional<double> alone) const {
    remark::RemarkOpts opts = remarkOf(joins ? "Join" : "NewKernel");
    auto found = joins ? remark::passed(loc, opts) : remark::missed(loc, opts);
    if (found && !all)
      found << remark::reason("both have no plan: {0}", whyNoPlan(ops, planner.machine()));
    if (all)
      found << remark::metric("OneKernelCycles", std::llround(*all));
    if (before && alone)
      found << remark::metric("TwoKernelsCycles", std::llround(*before + *alone));
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
  const Units &units;
  /// Operations whose kernel is being chosen.
  llvm::SmallPtrSet<Operation *, 8> placing;
  /// What the sequencer computes, with the group that it waits for or -1.
  SmallVector<std::pair<Operation *, int64_t>> sequenced;
  llvm::DenseMap<Operation *, int64_t> readyAfter;
  /// Slices that wait for what adds them up.
  llvm::SmallPtrSet<Operation *, 8> addends;
};

struct Fuse : PlanningPass<impl::FuseBase<Fuse>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    for (Region &region : getOperation()->getRegions())
      for (Operation &function : llvm::make_early_inc_range(region.front()))
        if (function.getNumRegions() == 1 && !function.getRegion(0).empty()) {
          Units units = inlineFusions(&function);
          BlockFuser(function.getRegion(0).front(), planner(),
                     SequencerScalars(function.getRegion(0), SequencerScalars::Operations::chosen),
                     units)
              .run();
        }
    if (isCancelled(&getContext()))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createFuse(std::shared_ptr<Planner> planner) {
  return std::make_unique<Fuse>(std::move(planner));
}

} // namespace systole
