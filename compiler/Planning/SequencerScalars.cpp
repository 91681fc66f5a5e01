// Which integer scalars the sequencer computes and carries itself.
// See docs/decisions/instruction-set-and-sequencer.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/SequencerScalars.h"

#include "compiler/Planning/ScalarArithmetic.h"
#include "compiler/Tensor/OpKinds.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace systole {

bool isIntegerScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0 && type.getElementType().isInteger();
}

static bool isConstantScalar(Value value) {
  return isIntegerScalar(value) && value.getDefiningOp<stablehlo::ConstantOp>();
}

/// Parts of operations that the program's entry may have as instructions of the sequencer, beside
/// calls and loops: an eighth of the smallest instruction memory. Beyond that only operations of so
/// few parts are the sequencer's.
constexpr size_t kMostParts = 2048, kFewParts = 32;

SequencerScalars::SequencerScalars(Region &function, Operations operations) {
  collect(function, operations);
  if (operations == Operations::chosen) {
    leaveLongUnits();
    findDemand();
  }
  // At first everything is the sequencer's; what cannot be drops out, until
  // nothing changes.
  for (bool changed = true; changed;) {
    changed = slots.remove_if([&](Slot slot) {
      return !llvm::all_of(sourcesOf(slot), [&](Value value) { return holds(value); });
    });
    if (operations == Operations::chosen)
      changed |= ops.remove_if([&](Operation *op) { return !canCompute(op); }) || leaveUnits();
  }
}

/// The number of the operations with which `op` shares a kernel; null for none.
static Attribute unitOf(Operation *op) {
  return op->getAttrOfType<IntegerAttr>(kernel::kExpandedAttr);
}

void SequencerScalars::leaveLongUnits() {
  llvm::DenseMap<Attribute, size_t> sizes;
  size_t all = 0;
  for (Operation *op : parts)
    if (ops.contains(op)) {
      ++sizes[unitOf(op)];
      ++all;
    }
  if (all > kMostParts)
    ops.remove_if([&](Operation *op) { return sizes.lookup(unitOf(op)) > kFewParts; });
}

// What the sequencer computes in between would divide their kernel.
bool SequencerScalars::leaveUnits() {
  llvm::DenseSet<Attribute> divided;
  for (Operation *op : parts)
    if (!ops.contains(op))
      divided.insert(unitOf(op));
  return ops.remove_if([&](Operation *op) {
    Attribute unit = unitOf(op);
    return unit && divided.contains(unit) && !demanded.contains(op->getResult(0));
  });
}

void SequencerScalars::collect(Region &region, Operations operations) {
  for (Operation &op : region.getOps()) {
    if (unitOf(&op))
      parts.push_back(&op);
    if (hasScalarArithmetic(&op))
      ops.insert(&op);
    // In a fusion's body only positions matter, as operands of the fusion.
    if (auto fusion = dyn_cast<kernel::FusionOp>(op))
      continue;
    OperandRange indices = indexOperands(&op);
    for (Value index : indices)
      if (isIntegerScalar(index))
        roots.push_back(index);
    if (kindOf(&op) != OpKind::Control)
      continue;
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
      roots.push_back(loop.getCond().front().getTerminator()->getOperand(0));
    else
      roots.push_back(op.getOperand(0));
    for (OpResult result : op.getResults())
      if (isIntegerScalar(result))
        slots.insert({&op, result.getResultNumber()});
    for (Region &inner : op.getRegions())
      collect(inner, operations);
  }
}

std::optional<SequencerScalars::Slot> SequencerScalars::slotOf(Value value) const {
  if (auto result = dyn_cast<OpResult>(value)) {
    if (kindOf(result.getOwner()) == OpKind::Control)
      return Slot(result.getOwner(), result.getResultNumber());
    return std::nullopt;
  }
  auto argument = cast<BlockArgument>(value);
  Operation *owner = argument.getOwner()->getParentOp();
  if (isa<stablehlo::WhileOp>(owner))
    return Slot(owner, argument.getArgNumber());
  return std::nullopt;
}

SmallVector<Value> SequencerScalars::sourcesOf(Slot slot) const {
  auto [op, number] = slot;
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    return {loop.getBody().front().getTerminator()->getOperand(number)};
  SmallVector<Value> sources;
  for (Region &branch : op->getRegions())
    sources.push_back(branch.front().getTerminator()->getOperand(number));
  return sources;
}

void SequencerScalars::findDemand() {
  SmallVector<Value> worklist(roots);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!isIntegerScalar(value) || !demanded.insert(value).second)
      continue;
    if (auto slot = slotOf(value)) {
      llvm::append_range(worklist, sourcesOf(*slot));
      if (auto loop = dyn_cast<stablehlo::WhileOp>(slot->first))
        worklist.push_back(loop.getOperand()[slot->second]);
    } else if (Operation *op = value.getDefiningOp(); op && ops.contains(op)) {
      llvm::append_range(worklist, op->getOperands());
    }
  }
}

bool SequencerScalars::holds(Value value) const {
  if (!isIntegerScalar(value))
    return false;
  if (auto slot = slotOf(value))
    return slots.contains(*slot);
  return isConstantScalar(value) || ops.contains(value.getDefiningOp());
}

bool SequencerScalars::canCompute(Operation *op) const {
  bool hasScalar = false, hasMemory = false, hasOuter = false, allSteady = true;
  auto loop = op->getParentOfType<stablehlo::WhileOp>();
  for (Value operand : op->getOperands()) {
    if (isConstantScalar(operand))
      continue;
    if (holds(operand)) {
      hasScalar = true;
      continue;
    }
    hasMemory = true;
    // What another operation of this block makes can be made and used by one kernel.
    Operation *producer = operand.getDefiningOp();
    hasOuter |= !producer || producer->getBlock() != op->getBlock();
    allSteady &= loop && !loop->isAncestor(operand.getParentRegion()->getParentOp());
  }
  if (!hasMemory)
    return true;
  if (demanded.contains(op->getResult(0)))
    return hasScalar || hasOuter;
  return hasScalar && allSteady;
}

} // namespace systole
