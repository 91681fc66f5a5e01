// The stages of a kernel that may run a step of the grid ahead of the others.
// See docs/decisions/loop-pipelines.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/StageStreams.h"

#include "compiler/Codegen/DotLoops.h"
#include "compiler/Model/DotPhases.h"
#include "compiler/Model/Streams.h"
#include "dialects/Kernel/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

static bool isShared(Operation &op) {
  return isa<kernel::AllocOp>(op) || kernel::isView(&op) ||
         isa<arith::ArithDialect>(op.getDialect());
}

/// Vectors of eight rows in a buffer.
static double vectors(Value buffer) {
  return double(cast<kernel::BufferType>(buffer.getType()).getLogicalRows()) / kSublanes;
}

static double instructions(Region &body) {
  return double(std::distance(body.front().begin(), body.front().end()));
}

/// Cycles in which the MXUs take the rows of a product, and their weights.
static double productCycles(const DotShape &shape, int64_t passes, const MxuShape &mxu) {
  double cycles = 0;
  for (const DotPhase &phase : phasesOf(shape, mxu)) {
    double steps = double(phase.nCount * phase.kCount * passes);
    for (const DotRange &range : phase.batch)
      steps *= double(range.count);
    for (auto [dim, size] : llvm::zip_equal(shape.rows, phase.box))
      steps *= double(llvm::divideCeil(dim.size, size));
    for (const DotDim &dim : shape.depth)
      steps *= double(dim.size);
    int64_t pushes = phase.groupsPerMxu() * mxu.pushInterval;
    cycles += steps * double(std::max(pushes, mxu.latchCycles(phase.tiles.count())));
  }
  return cycles;
}

StageStreams::StageStreams(kernel::FuncOp kernel, const Machine &machine, bool mayDivide)
    : kernel(kernel) {
  int64_t steps = 1;
  for (int64_t extent : kernel.getGrid())
    steps *= extent;
  if (!mayDivide || steps < kFewestStreamSteps || !collect(machine))
    return;
  double best = kStreamCodeCycles / double(steps);
  for (bool withProducts : {false, true})
    if (divide(withProducts) && hiddenCycles() > best) {
      best = hiddenCycles();
      divided = true;
      sides.clear();
      for (const Stage &stage : stages)
        sides[stage.op] = stage.side;
      uses = usesOf();
    }
}

bool StageStreams::collect(const Machine &machine) {
  for (Attribute attr : kernel.getOperands())
    if (cast<kernel::OperandAttr>(attr).getRole() == kernel::Role::raw)
      return false;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    // What one step leaves for the next one has an order.
    if (auto alloc = dyn_cast<kernel::AllocOp>(op); alloc && alloc.getPersistent())
      return false;
    if (isShared(op))
      continue;
    Stage stage{&op, {}, {}};
    auto add = [](ValueRange buffers, SmallVector<Value> &list) {
      for (Value buffer : buffers)
        list.push_back(kernel::rootOf(buffer));
    };
    auto product = [&](auto dot) {
      add({dot.getLhs(), dot.getRhs()}, stage.reads);
      add(dot.getOut(), stage.writes);
      add(dot.getOut(), stage.reads);
      if (dot.getRounded())
        add(dot.getRounded(), stage.writes);
      stage.isProduct = true;
      DotShape shape = shapeOf(dot);
      if (!shape.isEmpty() && !shape.hasNoDepth())
        stage.cycles = productCycles(shape, dot.getPrecision(), machine.mxu);
    };
    bool isKnown =
        llvm::TypeSwitch<Operation *, bool>(&op)
            .Case<kernel::MapOp, kernel::ReduceOp>([&](auto each) {
              add(each.getInputs(), stage.reads);
              add(each.getOutputs(), stage.writes);
              // Elements beside those that it writes remain.
              add(each.getOutputs(), stage.reads);
              double most = 0;
              for (Value buffer : llvm::concat<Value>(each.getInputs(), each.getOutputs()))
                most = std::max(most, vectors(buffer));
              // Two slots of the vector unit compute.
              stage.cycles = most * instructions(each.getBody()) / 2;
              return true;
            })
            .Case([&](kernel::CopyOp copy) {
              add(copy.getSource(), stage.reads);
              add(copy.getDestination(), stage.writes);
              add(copy.getDestination(), stage.reads);
              stage.cycles = vectors(copy.getSource());
              return true;
            })
            .Case<kernel::DotOp, kernel::ContractOp>([&](auto dot) {
              product(dot);
              return true;
            })
            .Default(false);
    if (auto reduce = dyn_cast<kernel::ReduceOp>(op))
      add(reduce.getInits(), stage.reads);
    if (!isKnown)
      return false;
    stages.push_back(std::move(stage));
  }
  return true;
}

bool StageStreams::divide(bool withProducts) {
  // A stage needs those that write what it reads.
  llvm::DenseSet<Value> needed;
  for (Stage &stage : llvm::reverse(stages)) {
    bool isNeeded = llvm::any_of(stage.writes, [&](Value b) { return needed.contains(b); });
    stage.side = isNeeded || (withProducts && stage.isProduct) ? ahead : behind;
    if (isNeeded || stage.isProduct)
      needed.insert(stage.reads.begin(), stage.reads.end());
  }
  if (!withProducts) {
    // Products that other products need are behind, with all that depends on them.
    llvm::DenseSet<Value> late;
    for (Stage &stage : stages) {
      if (stage.isProduct || llvm::any_of(stage.reads, [&](Value b) { return late.contains(b); }))
        stage.side = behind;
      if (stage.side == behind)
        late.insert(stage.writes.begin(), stage.writes.end());
    }
  }
  // Stages whose buffers both sides would use otherwise go behind.
  for (bool changed = true; changed;) {
    changed = false;
    llvm::MapVector<Value, Uses> current = usesOf();
    for (Stage &stage : stages) {
      if (stage.side == behind)
        continue;
      auto isWrong = [&](Value buffer) {
        return !isLegal(buffer, current[buffer]) || isWrittenEarly(buffer, current);
      };
      if (llvm::any_of(stage.reads, isWrong) || llvm::any_of(stage.writes, isWrong)) {
        stage.side = behind;
        changed = true;
      }
    }
  }
  // An MXU has the weights of one stream.
  auto hasProducts = [&](Side side) {
    return llvm::any_of(stages,
                        [&](const Stage &stage) { return stage.isProduct && stage.side == side; });
  };
  return !(hasProducts(ahead) && hasProducts(behind)) &&
         llvm::any_of(stages, [](const Stage &stage) { return stage.side == ahead; });
}

llvm::MapVector<Value, StageStreams::Uses> StageStreams::usesOf() const {
  llvm::MapVector<Value, Uses> result;
  for (const Stage &stage : stages) {
    for (Value buffer : stage.reads)
      result[buffer].reads[stage.side] = true;
    for (Value buffer : stage.writes)
      result[buffer].writes[stage.side] = true;
  }
  return result;
}

BlockChanges codegen::changesOf(AffineMap map, ArrayRef<int64_t> grid) {
  BlockChanges changes;
  int64_t fastest = -1;
  for (auto [dim, extent] : llvm::enumerate(grid)) {
    if (extent <= 1)
      continue;
    changes.some |= map.isFunctionOfDim(dim);
    fastest = dim;
  }
  // Consecutive steps differ in the fastest index, including where it wraps around.
  for (AffineExpr result : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(result))
      changes.always |= static_cast<int64_t>(dim.getPosition()) == fastest;
  return changes;
}

bool StageStreams::isLegal(Value buffer, const Uses &uses) const {
  if (!uses.on(ahead) || !uses.on(behind))
    return true;
  if (!isa<BlockArgument>(buffer))
    return !uses.writes[behind];
  unsigned number = cast<BlockArgument>(buffer).getArgNumber() - kernel.getGrid().size();
  auto attr = cast<kernel::OperandAttr>(kernel.getOperands()[number]);
  BlockChanges changes = changesOf(attr.getMap(), kernel.getGrid());
  // VMEM has all blocks of what it keeps.
  if (!uses.writes[ahead] && !uses.writes[behind])
    return attr.getRole() == kernel::Role::stream || attr.isResident() || !changes.some;
  return !uses.writes[behind] && attr.getRole() == kernel::Role::out &&
         (attr.isResident() || attr.getBuffers() == 2) && changes.always;
}

bool StageStreams::isWrittenEarly(Value buffer, llvm::MapVector<Value, Uses> &current) const {
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || !current[buffer].writes[ahead])
    return false;
  const unsigned indices = kernel.getGrid().size();
  return llvm::any_of(kernel::overwrittenBy(kernel, argument.getArgNumber() - indices),
                      [&](int32_t input) {
                        return current[kernel.getBody().getArgument(indices + input)].on(behind);
                      });
}

double StageStreams::hiddenCycles() const {
  double products = 0, others = 0;
  Side side = behind;
  for (const Stage &stage : stages)
    if (stage.isProduct)
      side = stage.side;
  for (const Stage &stage : stages) {
    if (stage.isProduct)
      products += stage.cycles;
    else if (stage.side != side)
      others += stage.cycles;
  }
  return std::min(products, others);
}

bool StageStreams::isOn(Operation *op, Side side) const {
  auto it = sides.find(op);
  return it == sides.end() || it->second == side;
}

bool StageStreams::isOnlyOn(Value buffer, Side side) const {
  auto it = uses.find(buffer);
  return it != uses.end() && it->second.on(side) && !it->second.on(side == ahead ? behind : ahead);
}

bool StageStreams::isHandedOn(Value buffer) const {
  auto it = uses.find(buffer);
  return it != uses.end() && it->second.writes[ahead] && it->second.on(behind);
}
