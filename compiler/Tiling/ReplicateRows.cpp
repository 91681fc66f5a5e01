// Keeps results of reductions over the lanes in all lanes, where stages broadcast them along these.
// See docs/decisions/reductions-and-row-statistics.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/MachineAnalysis.h"
#include "compiler/Model/OpCosts.h"
#include "compiler/Tiling/Passes.h"
#include "compiler/Tiling/RowReads.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_REPLICATEROWS
#include "compiler/Tiling/Passes.h.inc"

namespace {

class Replication {
public:
  Replication(kernel::FuncOp kernel, const MachineModel &model)
      : kernel(kernel), model(model), freeRows(freeRowsOf(kernel, model)) {}

  void run() {
    collect();
    select();
    for (Rows *each : selected)
      for (Value buffer : each->buffers)
        buffer.setType(cast<kernel::BufferType>(buffer.getType()).replicate());
    OpBuilder b(kernel.getContext());
    for (Rows *each : selected)
      for (Read read : each->reads)
        if (read.part)
          redirect(b, read, read.part.getSource());
    for (auto &[buffer, each] : rows)
      if (!selected.contains(&each))
        copyRows(each);
    dropParts();
  }

private:
  void collect() {
    auto add = [&](Value buffer) {
      auto type = dyn_cast<kernel::BufferType>(buffer.getType());
      if (type && type.getSpace() == kernel::Space::vmem && type.getRank() > 0)
        addUses(buffer, rows[buffer]);
    };
    llvm::for_each(kernel.getBody().getArguments(), add);
    kernel.walk([&](kernel::AllocOp alloc) { add(alloc.getResult()); });
    for (auto &[alloc, each] : rows)
      for (Value buffer : each.buffers)
        owner[buffer] = &each;
  }

  void addUses(Value buffer, Rows &into) {
    into.buffers.push_back(buffer);
    for (OpOperand &use : buffer.getUses()) {
      Operation *user = use.getOwner();
      if (auto view = dyn_cast<kernel::ViewOp>(user)) {
        addUses(view.getResult(), into);
        continue;
      }
      auto copy = dyn_cast<kernel::CopyOp>(user);
      if (copy && copy.getSource() == buffer && offsetOfPart(copy)) {
        parts.push_back(copy);
        for (OpOperand &read : copy.getDestination().getUses())
          if (read.getOwner() != copy)
            into.reads.push_back({read.getOwner(), read.getOperandNumber(), copy});
        continue;
      }
      if (isInput(use)) {
        into.reads.push_back({user, use.getOperandNumber()});
        continue;
      }
      into.isPlain &= !into.writer && isa<kernel::MapOp, kernel::ReduceOp>(user);
      into.writer = user;
    }
  }

  bool isSelected(Value buffer) const { return selected.contains(owner.lookup(buffer)); }

  /// Whether a buffer can be replicated, if those that are selected now are.
  bool isPossible(const Rows &each) const {
    if (!each.isPlain || !each.writer || isa<BlockArgument>(each.buffers.front()))
      return false;
    for (const Read &read : each.reads)
      if (!isReplicatedMap(read.stage) && readsAlongLanes(read))
        return false;
    if (!isa<kernel::MapOp>(each.writer))
      return reducesLanes(each.writer);
    auto map = cast<kernel::MapOp>(each.writer);
    for (auto [input, attr] : llvm::zip_equal(map.getInputs(), map.getMaps()))
      if (!isSelected(input) && !cast<AffineMapAttr>(attr).getValue().isConstant())
        return false;
    return llvm::all_of(map.getOutputs(), [&](Value output) { return isSelected(output); });
  }
  bool isReplicatedMap(Operation *stage) const {
    auto map = dyn_cast<kernel::MapOp>(stage);
    return map && isSelected(map.getOutputs().front());
  }

  /// The cycles of broadcasts that are saved for eight elements, less those of maps that would do
  /// 1,024 at a time.
  double gain(const Rows &each) {
    if (auto known = gains.find(&each); known != gains.end())
      return known->second;
    double cycles = 0;
    for (const Read &read : each.reads)
      if (!isReplicatedMap(read.stage))
        cycles +=
            needsBroadcasts(read.stage) ? model.crossLane(MachineModel::CrossLane::gather).xlu : 0;
      else
        for (Value output : cast<kernel::MapOp>(read.stage).getOutputs())
          cycles += gain(*owner.lookup(output));
    if (auto map = dyn_cast<kernel::MapOp>(each.writer)) {
      Arithmetic all;
      for (Operation &op : map.getBody().front().without_terminator())
        if (!isa<kernel::IndexOp, kernel::ScalarOp>(op))
          all = all + opCost(&op).all;
      // In a loop that the stages of rows share, the unit of transcendental functions has time.
      Work work = model.arithmetic(all, {});
      if (mayShareLoop(each))
        work.eup = work.push = work.pop = 0;
      cycles -= model.issue(work);
    }
    gains[&each] = cycles;
    return cycles;
  }

  /// Whether the stages that read the elements can have one loop (LoopFusion): of whole groups of
  /// eight, or of the same number of groups, of which padding takes the last one.
  static bool mayShareLoop(const Rows &each) {
    ArrayRef<int64_t> shape = each.type().getShape();
    if (shape.back() % kSublanes == 0)
      return true;
    return llvm::all_of(shape.drop_back(), [](int64_t size) { return size == 1; }) &&
           llvm::all_of(each.reads, [](const Read &read) {
             auto reduce = dyn_cast<kernel::ReduceOp>(read.stage);
             return !reduce || reduce.getSizes().back() <= kLanes;
           });
  }

  /// The largest set of buffers that are possible with each other, and each of which pays; without
  /// those that save least for their rows if VMEM is too small.
  void select() {
    for (auto &[alloc, each] : rows)
      selected.insert(&each);
    for (;;) {
      // Gains depend on the buffers that are possible.
      do {
        while (keep([&](const Rows &each) { return isPossible(each); })) {
        }
        gains.clear();
      } while (keep([&](const Rows &each) { return gain(each) > 0; }));
      int64_t more = 0;
      const Rows *least = nullptr;
      for (auto &[alloc, each] : rows) {
        if (!selected.contains(&each))
          continue;
        more += rowsOf(each);
        if (!least || gain(each) * double(rowsOf(*least)) < gain(*least) * double(rowsOf(each)))
          least = &each;
      }
      if (!least || more <= freeRows) {
        freeRows -= more;
        return;
      }
      keep([&](const Rows &each) { return &each != least; });
    }
  }
  static int64_t rowsOf(const Rows &each) { return each.type().replicate().getPhysicalRows(); }

  /// Copies elements that several stages broadcast to a replicated buffer, which they read instead.
  void copyRows(const Rows &each) {
    int64_t more = rowsOf(each);
    if (!each.isPlain || more > freeRows)
      return;
    Operation *first = each.writer ? each.writer->getNextNode() : &kernel.getBody().front().front();
    if (!first)
      return;
    SmallVector<Read> broadcasts;
    for (const Read &read : each.reads)
      if (isBroadcast(read) && isBehind(read.stage, first))
        broadcasts.push_back(read);
    if (broadcasts.size() < 2)
      return;
    freeRows -= more;
    OpBuilder b(first);
    Location loc = first->getLoc();
    Value from = each.buffers.front();
    Value copy = kernel::AllocOp::create(b, loc, each.type().replicate());
    AffineMap same = b.getMultiDimIdentityMap(each.type().getRank());
    auto map = kernel::MapOp::create(b, loc, from, copy, b.getAffineMapArrayAttr(same));
    auto element = RankedTensorType::get({}, each.type().getElementType());
    Block &body = map.getBody().emplaceBlock();
    b.setInsertionPointToEnd(&body);
    kernel::YieldOp::create(b, loc, ValueRange(body.addArgument(element, loc)));
    for (const Read &read : broadcasts)
      redirect(b, read, copy);
  }

  void dropParts() {
    for (kernel::CopyOp part : parts)
      if (part.getDestination().hasOneUse()) {
        Operation *buffer = part.getDestination().getDefiningOp();
        part.erase();
        buffer->erase();
      }
  }

  /// Whether a stage needs the cross-lane unit for each group of eight elements that it reads.
  bool isBroadcast(const Read &read) const {
    AffineMap map = mapOf(read);
    return !isReplicatedMap(read.stage) && !readsAlongLanes(read) && !map.getResults().empty() &&
           !isa<AffineConstantExpr>(map.getResults().back()) && needsBroadcasts(read.stage);
  }

  static bool isBehind(Operation *stage, Operation *first) {
    Operation *ancestor = first->getBlock()->findAncestorOpInBlock(*stage);
    return ancestor && (ancestor == first || first->isBeforeInBlock(ancestor));
  }

  /// Removes all that do not stay; whether there were any.
  bool keep(llvm::function_ref<bool(const Rows &)> stays) {
    SmallVector<Rows *> removed;
    for (auto &[alloc, each] : rows)
      if (selected.contains(&each) && !stays(each))
        removed.push_back(&each);
    for (Rows *each : removed)
      selected.erase(each);
    return !removed.empty();
  }

  /// The rows that the kernel leaves of VMEM, as if no buffers shared it. Beside products buffers
  /// may be handed from step to step, which doubles them (StageStreams).
  static int64_t freeRowsOf(kernel::FuncOp kernel, const MachineModel &model) {
    int64_t rows = model.vmemBytes() / kRowBytes - static_cast<int64_t>(kernel.getReserved());
    auto take = [&](Value buffer, int64_t copies) {
      auto type = dyn_cast<kernel::BufferType>(buffer.getType());
      if (type && type.getSpace() == kernel::Space::vmem)
        rows -= copies * type.getPhysicalRows();
    };
    for (BlockArgument argument : kernel.getBody().getArguments())
      take(argument, 2);
    bool hasProduct = false;
    kernel.walk([&](Operation *op) { hasProduct |= isa<kernel::DotOp, kernel::ContractOp>(op); });
    int64_t copies = hasProduct ? 2 : 1;
    kernel.walk([&](kernel::AllocOp alloc) { take(alloc.getResult(), copies); });
    return rows / copies;
  }

  kernel::FuncOp kernel;
  const MachineModel &model;
  int64_t freeRows;
  llvm::MapVector<Value, Rows> rows; // by operand or allocation
  llvm::DenseMap<Value, Rows *> owner;
  llvm::SmallPtrSet<Rows *, 8> selected;
  llvm::DenseMap<const Rows *, double> gains; // of what is selected
  SmallVector<kernel::CopyOp> parts;
};

struct ReplicateRows : impl::ReplicateRowsBase<ReplicateRows> {
  void runOnOperation() override {
    const MachineModel &model = getAnalysis<MachineAnalysis>().model();
    getOperation().walk([&](kernel::FuncOp kernel) { Replication(kernel, model).run(); });
  }
};

} // namespace
} // namespace systole
