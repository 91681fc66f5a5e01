// Keeps results of reductions over the lanes in all lanes, where stages broadcast them along these.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/MachineAnalysis.h"
#include "compiler/Model/OpCosts.h"
#include "compiler/Tiling/Passes.h"
#include "dialects/Kernel/Bounds.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_REPLICATEROWS
#include "compiler/Tiling/Passes.h.inc"

namespace {

/// A stage's read of a buffer: number `input` of its inputs, or a copy of a part of it.
struct Read {
  Operation *stage;
  unsigned input;
  kernel::CopyOp part = nullptr;
};

/// An operand's block or an allocation with its views, what writes it and what reads it.
struct Rows {
  SmallVector<Value, 2> buffers;
  Operation *writer = nullptr;
  SmallVector<Read> reads;
  /// Whether only one stage writes it, and only stages and views use it.
  bool isPlain = true;

  kernel::BufferType type() const { return cast<kernel::BufferType>(buffers.front().getType()); }
};

AffineMap mapOf(const Read &read) {
  return llvm::TypeSwitch<Operation *, AffineMap>(read.stage)
      .Case<kernel::MapOp, kernel::ReduceOp>(
          [&](auto stage) { return cast<AffineMapAttr>(stage.getMaps()[read.input]).getValue(); });
}

SmallVector<int64_t> spaceOf(Operation *stage) {
  if (auto reduce = dyn_cast<kernel::ReduceOp>(stage))
    return SmallVector<int64_t>(reduce.getSizes());
  auto output = cast<kernel::MapOp>(stage).getOutputs().front();
  return SmallVector<int64_t>(cast<kernel::BufferType>(output.getType()).getShape());
}

/// Whether a stage reads other elements along the lanes.
bool readsAlongLanes(const Read &read) {
  SmallVector<int64_t> sizes = spaceOf(read.stage);
  return !sizes.empty() && sizes.back() > 1 &&
         mapOf(read).isFunctionOfDim(static_cast<unsigned>(sizes.size()) - 1);
}

bool reducesLanes(Operation *op) {
  auto reduce = dyn_cast_or_null<kernel::ReduceOp>(op);
  return reduce && !reduce.getDims().empty() &&
         reduce.getDims().back() + 1 == static_cast<int64_t>(reduce.getSizes().size());
}

/// Whether a stage needs the cross-lane unit for each eight elements that it broadcasts to its
/// lanes.
bool gathers(Operation *stage) {
  SmallVector<int64_t> sizes = spaceOf(stage);
  if (sizes.empty() || sizes.back() <= 1)
    return false;
  // Maps have groups of lanes along the sublanes where these fill them: one element is in all.
  return !isa<kernel::MapOp>(stage) || llvm::divideCeil(sizes.back(), kLanes) % kSublanes != 0;
}

/// Where the part begins along the lanes that a copy takes of its source for stages alone, if it is
/// one: the chunks of a reduction, which do not read parts of lanes (StageReduce).
std::optional<int64_t> offsetOfPart(kernel::CopyOp copy) {
  auto type = cast<kernel::BufferType>(copy.getDestination().getType());
  AffineMap from = copy.getSrcMap();
  if (!copy.getDestination().getDefiningOp<kernel::AllocOp>() || type.getRank() == 0 ||
      !copy.getSrcOffsets().empty() || !copy.getDstOffsets().empty() ||
      copy.getSizes() != type.getShape() || !copy.getDstMap().isIdentity() ||
      from.getNumResults() != type.getRank())
    return std::nullopt;
  std::optional<kernel::LinearIndex> lanes = kernel::linearIndexOf(from.getResults().back());
  if (!lanes)
    return std::nullopt;
  SmallVector<AffineExpr> same(copy.getDstMap().getResults());
  same.back() = same.back() + lanes->offset;
  if (from.getResults() != ArrayRef(same))
    return std::nullopt;
  for (OpOperand &use : copy.getDestination().getUses())
    if (use.getOwner() != copy && !isa<kernel::MapOp, kernel::ReduceOp>(use.getOwner()))
      return std::nullopt;
  return lanes->offset;
}

/// Lets a stage read `buffer`, which has all elements of what it reads now, or of what that is a
/// part of.
void redirect(OpBuilder &b, Read read, Value buffer) {
  OpOperand &operand = read.stage->getOpOperand(read.input);
  Value now = read.part ? read.part.getSource() : operand.get();
  kernel::BufferType type = cast<kernel::BufferType>(now.getType());
  if (!type.getReplicated())
    type = type.replicate();
  b.setInsertionPoint(read.stage);
  Location loc = read.stage->getLoc();
  operand.set(type == buffer.getType() ? buffer
                                       : kernel::ViewOp::create(b, loc, type, buffer).getResult());
  if (!read.part)
    return;
  AffineMap map = mapOf(read);
  SmallVector<AffineExpr> places(map.getResults());
  places.back() = places.back() + *offsetOfPart(read.part);
  llvm::TypeSwitch<Operation *>(read.stage).Case<kernel::MapOp, kernel::ReduceOp>([&](auto stage) {
    SmallVector<Attribute> maps(stage.getMaps().getValue());
    maps[read.input] =
        AffineMapAttr::get(AffineMap::get(map.getNumDims(), 0, places, b.getContext()));
    stage.setMapsAttr(b.getArrayAttr(maps));
  });
}

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
      size_t inputs = llvm::TypeSwitch<Operation *, size_t>(user)
                          .Case<kernel::MapOp, kernel::ReduceOp>(
                              [](auto stage) { return stage.getInputs().size(); })
                          .Default([](auto) { return 0; });
      if (use.getOperandNumber() < inputs) {
        into.reads.push_back({user, use.getOperandNumber()});
        continue;
      }
      into.isPlain &= !into.writer && isa<kernel::MapOp, kernel::ReduceOp>(user);
      into.writer = user;
    }
  }

  bool isSelected(Value buffer) const { return selected.contains(owner.lookup(buffer)); }

  /// Whether all lanes can have the elements, if so in the buffers selected so far.
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
        cycles += gathers(read.stage) ? model.crossLane(MachineModel::CrossLane::gather).xlu : 0;
      else
        for (Value output : cast<kernel::MapOp>(read.stage).getOutputs())
          cycles += gain(*owner.lookup(output));
    if (auto map = dyn_cast<kernel::MapOp>(each.writer)) {
      Arithmetic all;
      for (Operation &op : map.getBody().front().without_terminator())
        if (!isa<kernel::IndexOp, kernel::ScalarOp>(op))
          all = all + opCost(&op).all;
      // The stages of rows share a loop (LoopFusion), in which the unit of transcendental functions
      // has time.
      Work work = model.arithmetic(all, {});
      work.eup = work.push = work.pop = 0;
      cycles -= model.issue(work);
    }
    gains[&each] = cycles;
    return cycles;
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
           !isa<AffineConstantExpr>(map.getResults().back()) && gathers(read.stage);
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
