// Makes fusions of the operations that share a kernel.
// See docs/decisions/fusion.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Groups.h"
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/CarriedValues.h"
#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/Planner.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace systole {

bool isProgramConstant(Operation *op) {
  return op && kindOf(op) == OpKind::Constant && !isSplatConstant(op);
}

void Groups::hoistScalars(llvm::function_ref<bool(Operation *)> canMove) {
  Operation *front = &block.front(), *terminator = block.getTerminator();
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool isScalar = (kindOf(&op) == OpKind::Elementwise || isSplatConstant(&op)) &&
                    typeOf(op.getResult(0)).getRank() == 0;
    // A loop's next value would be there before the last reader of the old one.
    if (!isScalar || !canMove(&op) || llvm::is_contained(op.getUsers(), terminator))
      continue;
    Operation *last = nullptr;
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && producer->getBlock() == &block && (!last || last->isBeforeInBlock(producer)))
        last = producer;
    if (last)
      op.moveAfter(last);
    else if (&op != front)
      op.moveBefore(front);
  }
}

void Groups::join(int64_t number, ArrayRef<Operation *> ops) {
  llvm::append_range(groups[number].ops, ops);
  for (Operation *op : ops) {
    groups[number].hasProduct |= isProduct(op);
    groupOf[op] = number;
  }
}

SmallVector<Operation *> Groups::prologueOf(int64_t number) const {
  llvm::SmallPtrSet<Operation *, 32> needed;
  SmallVector<Operation *> worklist, prologue;
  // Also through broadcasts and other producers of which each kernel has its own copy.
  auto require = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && producer->getBlock() == &block)
        if (auto it = groupOf.find(producer); it == groupOf.end() || it->second == number)
          if (needed.insert(producer).second)
            worklist.push_back(producer);
  };
  for (Operation *op : groups[number].ops)
    if (isProduct(op))
      require(op);
  while (!worklist.empty())
    require(worklist.pop_back_val());
  llvm::copy_if(groups[number].ops, std::back_inserter(prologue),
                [&](Operation *op) { return needed.contains(op); });
  return prologue;
}

void Groups::splitBefore(int64_t number, ArrayRef<Operation *> ops) {
  for (auto &[op, group] : groupOf)
    group += group >= number;
  llvm::erase_if(groups[number].ops, [&](Operation *op) { return llvm::is_contained(ops, op); });
  groups.insert(groups.begin() + number, Group());
  join(number, ops);
}

void Groups::appendRepeated(Operation *op, SmallVector<Operation *> &ops,
                            llvm::SmallPtrSetImpl<Operation *> &inside) {
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (!isRematerializable(producer) || groupOf.contains(producer) ||
        !inside.insert(producer).second)
      continue;
    appendRepeated(producer, ops, inside);
    ops.push_back(producer);
  }
}

SmallVector<Operation *> Groups::withRepeated(ArrayRef<Operation *> group) {
  SmallVector<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 32> inside;
  for (Operation *op : group) {
    appendRepeated(op, ops, inside);
    ops.push_back(op);
  }
  return ops;
}

bool Groups::isReadBehind(Value value, int64_t number, ArrayRef<Operation *> ops) const {
  llvm::SetVector<Value> names;
  names.insert(value);
  for (size_t next = 0; next < names.size(); ++next)
    for (OpOperand &use : names[next].getUses()) {
      Operation *user = use.getOwner(), *reader = block.findAncestorOpInBlock(*user);
      if (!reader || reader == block.getTerminator() || llvm::is_contained(ops, reader))
        continue;
      if (auto it = groupOf.find(reader); it != groupOf.end()) {
        if (it->second > number)
          return true;
      } else if (reader == user && isa<stablehlo::OptimizationBarrierOp>(user)) {
        names.insert(user->getResult(use.getOperandNumber()));
      } else if (reader == user && (isAlias(user) || isRematerializable(user))) {
        // An alias or a copy is read where its readers are.
        names.insert(user->result_begin(), user->result_end());
      } else {
        return true;
      }
    }
  return false;
}

std::optional<double> Groups::cyclesOf(int64_t number, ArrayRef<Operation *> ops) {
  std::optional<Plan> plan = planner.plan(ops);
  if (!plan)
    return std::nullopt;
  return plan->cycles + copyCyclesOf(number, ops, *plan);
}

/// Cycles of copying the loop-carried values whose next ones `ops` cannot write in place.
double Groups::copyCyclesOf(int64_t number, ArrayRef<Operation *> ops, const Plan &plan) const {
  auto loop = dyn_cast<stablehlo::WhileOp>(block.getParentOp());
  if (!loop || block.getParent() != &loop.getBody())
    return 0;
  const MachineModel &model = planner.machine().model;
  SmallVector<CarriedValue, 2> carried;
  double cycles = 0;
  for (auto [argument, next] :
       llvm::zip(block.getArguments(), block.getTerminator()->getOperands())) {
    if (!llvm::is_contained(ops, next.getDefiningOp()) || isUpdatedInHbm(next))
      continue;
    if (isReadBehind(argument, number, ops)) {
      cycles += copyCycles(typeOf(next), model);
      continue;
    }
    bool isRead = false, isReadInHbm = false;
    for (OpOperand &use : argument.getUses())
      if (llvm::is_contained(ops, use.getOwner())) {
        isRead = true;
        isReadInHbm |= systole::isReadInHbm(use);
      }
    if (isRead)
      carried.push_back({argument, next, isReadInHbm});
  }
  if (carried.empty())
    return cycles;
  return cycles + copyCycles(carried, Planner::blockingOf(ops, plan), model);
}

static StringRef kindName(const Group &group) {
  auto contains = [&](OpKind kind) {
    return llvm::any_of(group.ops, [&](Operation *op) { return kindOf(op) == kind; });
  };
  if (group.hasProduct)
    return contains(OpKind::Dot) ? "dot" : "convolution";
  if (contains(OpKind::Reduce))
    return "reduce";
  if (contains(OpKind::Sort))
    return "sort";
  return contains(OpKind::Elementwise) ? "loop" : "copy";
}

/// Where a kernel comes from: its contraction, or the operation with the
/// largest result.
static Location locationOf(const Group &group) {
  Operation *best = group.ops.front();
  auto weight = [](Operation *op) {
    int64_t bytes = 0;
    for (Value result : op->getResults())
      bytes = std::max(bytes, paddedBytes(typeOf(result)));
    return isProduct(op) ? INT64_MAX : bytes;
  };
  for (Operation *op : group.ops)
    if (weight(op) > weight(best))
      best = op;
  return best->getLoc();
}

/// Whether a kernel would only copy the rows of an array to rows of another shape. What control
/// flow takes and functions return lies in buffers of their own.
bool Groups::isView(const Group &group) const {
  auto reshape =
      group.ops.size() == 1 ? dyn_cast<stablehlo::ReshapeOp>(group.ops.front()) : nullptr;
  if (!reshape || isRematerializable(reshape.getOperand().getDefiningOp()) ||
      isProgramConstant(reshape.getOperand().getDefiningOp()) ||
      !isRowView(typeOf(reshape.getOperand()), typeOf(reshape)))
    return false;
  return llvm::all_of(reshape->getUses(), [&](OpOperand &use) { return isReadByKernels(use); });
}

bool Groups::isReadByKernels(OpOperand &use) const {
  if (isa<stablehlo::OptimizationBarrierOp>(use.getOwner()))
    return llvm::all_of(use.getOwner()->getResult(use.getOperandNumber()).getUses(),
                        [&](OpOperand &behind) { return isReadByKernels(behind); });
  Operation *reader = use.getOwner();
  // It takes whole rows, which parts of other arrays are not copied to.
  if (isa<kernel::ExchangeOp>(reader)) {
    Operation *source = use.get().getDefiningOp();
    while (source && isa<stablehlo::ReshapeOp, kernel::ReinterpretOp>(source))
      source = source->getOperand(0).getDefiningOp();
    return !isa_and_nonnull<kernel::PartOp>(source);
  }
  if (reader->getBlock() != &block)
    return !isSequenced(reader) && !reader->hasTrait<OpTrait::IsTerminator>();
  if (isa<kernel::PartOp>(reader))
    return true;
  auto it = groupOf.find(reader);
  return it != groupOf.end() && !groups[it->second].control;
}

void Groups::buildFusion(const Group &group) {
  if (isView(group)) {
    auto reshape = cast<stablehlo::ReshapeOp>(group.ops.front());
    OpBuilder builder(block.getTerminator());
    reshape.replaceAllUsesWith(kernel::ReinterpretOp::create(builder, reshape.getLoc(),
                                                             typeOf(reshape), reshape.getOperand())
                                   .getResult());
    return;
  }
  SmallVector<Operation *> ops = withRepeated(group.ops);
  llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  llvm::SetVector<Value> inputs, outputs;
  for (Operation *op : ops) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentRegion()->isAncestor(op->getParentRegion()) &&
            !inside.contains(operand.getDefiningOp()))
          inputs.insert(operand);
    });
  }
  for (Operation *op : group.ops)
    for (Value result : op->getResults())
      if (staysForChunks(op) || escapes(result, group))
        outputs.insert(result);

  // What a loop stacks as a row is read from there.
  SmallVector<std::pair<Value, Value>> stacked;
  for (Value output : outputs)
    if (auto reshape = output.getDefiningOp<stablehlo::ReshapeOp>();
        reshape && outputs.contains(reshape.getOperand()) &&
        isRowView(typeOf(reshape.getOperand()), typeOf(reshape)) &&
        llvm::any_of(reshape->getUsers(), llvm::IsaPred<kernel::ReplacePartOp>) &&
        llvm::all_of(reshape.getOperand().getUses(), [&](OpOperand &use) {
          return isMember(use.getOwner(), group) || isReadByKernels(use);
        }))
      stacked.emplace_back(reshape.getOperand(), output);
  for (auto &[value, row] : stacked)
    outputs.remove(value);

  OpBuilder builder(block.getTerminator());
  auto fusion = kernel::FusionOp::create(builder, locationOf(group),
                                         TypeRange(ValueRange(outputs.getArrayRef())),
                                         inputs.getArrayRef(), kindName(group));
  Block &body = fusion.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  builder.setInsertionPointToEnd(&body);
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  SmallVector<Value> values;
  for (Value output : outputs)
    values.push_back(mapping.lookup(output));
  kernel::FusedOp::create(builder, fusion.getLoc(), values);
  for (auto [i, result] : llvm::enumerate(fusion.getResults()))
    Value(outputs[i]).replaceUsesWithIf(result, [&](OpOperand &use) {
      return !isMember(use.getOwner(), group);
    });
  builder.setInsertionPoint(block.getTerminator());
  for (auto [value, row] : stacked) {
    Value written = fusion.getResult(llvm::find(outputs, row) - outputs.begin());
    Value view = kernel::ReinterpretOp::create(builder, value.getLoc(), typeOf(value), written);
    value.replaceUsesWithIf(view, [&](OpOperand &use) { return !isMember(use.getOwner(), group); });
  }
  planner.planFusion(fusion);
}

bool Groups::isMember(Operation *user, const Group &group) const {
  Operation *op = block.findAncestorOpInBlock(*user);
  auto it = groupOf.find(op);
  return it != groupOf.end() && &groups[it->second] == &group;
}

/// Whether anything outside of `group` reads `value`, itself or through
/// operations that each reader has its own copy of.
bool Groups::escapes(Value value, const Group &group) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isMember(user, group))
      return false;
    bool copied = isRematerializable(user) && !groupOf.contains(user);
    return !copied || escapes(user->getResult(0), group);
  });
}

} // namespace systole
