// A fusion that is made from the operations of others, and what it costs to run one.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/FusionDraft.h"

#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/Wide64/Parts.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/GroupTensors.h"
#include "compiler/Planning/Windows.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

Value FusionDraft::input(Value outer) {
  if (auto *it = llvm::find(inputs, outer); it != inputs.end())
    return block->getArgument(it - inputs.begin());
  inputs.push_back(outer);
  return block->addArgument(outer.getType(), outer.getLoc());
}

void FusionDraft::append(Operation *op, IRMapping &names) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(block.get());
  builder.clone(*op, names);
}

void FusionDraft::append(kernel::FusionOp fusion, IRMapping &names) {
  Block &body = fusion.getBody().front();
  for (auto [argument, outer] : llvm::zip_equal(body.getArguments(), fusion.getInputs()))
    if (!names.contains(argument))
      names.map(argument, input(outer));
  for (Operation &op : body.without_terminator())
    append(&op, names);
}

kernel::FusionOp FusionDraft::finish(Location loc, StringRef kind, ArrayRef<Value> results) {
  OpBuilder builder(place->getContext());
  builder.setInsertionPointToEnd(block.get());
  kernel::FusedOp::create(builder, loc, results);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
  for (unsigned number = inputs.size(); number-- > 0;)
    if (block->getArgument(number).use_empty()) {
      block->eraseArgument(number);
      inputs.erase(inputs.begin() + number);
    }
  builder.setInsertionPoint(place);
  auto fusion =
      kernel::FusionOp::create(builder, loc, TypeRange(ValueRange(results)), inputs, kind);
  fusion.getBody().push_back(block.release());
  return fusion;
}

SmallVector<Operation *> operationsOf(kernel::FusionOp fusion) {
  SmallVector<Operation *> ops;
  for (Operation &op : fusion.getBody().front().without_terminator())
    ops.push_back(&op);
  return ops;
}

llvm::SetVector<Block *> blocksOfFusions(Operation *root) {
  llvm::SetVector<Block *> blocks;
  root->walk([&](kernel::FusionOp fusion) { blocks.insert(fusion->getBlock()); });
  return blocks;
}

bool isAlias(Operation *op) {
  return isa<kernel::ReinterpretOp, stablehlo::OptimizationBarrierOp>(op);
}

Value aliasedBy(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return result && isAlias(result.getOwner())
             ? result.getOwner()->getOperand(result.getResultNumber())
             : Value();
}

bool isUpdated(OpOperand &use) {
  auto fusion = dyn_cast<kernel::FusionOp>(use.getOwner());
  for (unsigned number = 0; fusion && number < fusion.getNumResults(); ++number)
    if (updatedInput(fusion, number) == use.getOperandNumber())
      return true;
  return false;
}

bool isProduct(Operation *op) {
  OpKind kind = kindOf(op);
  return kind == OpKind::Dot || kind == OpKind::Convolution;
}

/// The part of the time in which HBM moves an array of 32-bit elements that the vector unit
/// takes to apply an operation to it: most are one instruction of two in a cycle, those that
/// have formulas about 15.
static int64_t sharesOf(Operation *op) {
  using namespace stablehlo;
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<ExpOp, Expm1Op, LogOp, Log1pOp, LogisticOp, TanhOp, TanOp, CbrtOp, SineOp, CosineOp,
            PowOp, Atan2Op, RemOp>([](auto) { return 16; })
      .Case<DivOp, SqrtOp, RsqrtOp>([](auto) { return 8; })
      .Default([](auto) { return 1; });
}
static constexpr int64_t kShares = 16;

/// Blocks beyond those that the queue of copies has places for are waited for one by one, in
/// every step: what HBM could move in that time.
static int64_t waitBytes(const GroupTensors &tensors, const Blocking &blocking) {
  constexpr int64_t kPlaces = 31, kLatencyBytes = 224 << 10;
  int64_t wanted = 0;
  for (const auto *values : {&tensors.inputs, &tensors.outputs})
    for (Value value : *values)
      wanted += blocking.isCut(value) ? 2 : 1;
  return llvm::divideCeil(std::max<int64_t>(wanted - kPlaces, 0), 2) * kLatencyBytes;
}

std::optional<Cost> costOf(kernel::FusionOp fusion, int64_t vmemBytes) {
  SmallVector<Operation *> ops = operationsOf(fusion);
  if (countOperations(ops) > kMaxGroupOps || countOperands(ops) > kMaxOperands)
    return std::nullopt;
  std::optional<Plan> plan = planOf(ops, vmemBytes);
  if (!plan)
    return std::nullopt;
  int64_t work = 0;
  Type word = Float32Type::get(fusion.getContext());
  for (Operation *op : ops) {
    OpKind kind = kindOf(op);
    if (kind != OpKind::Elementwise && kind != OpKind::Reduce)
      continue;
    Value whole = kind == OpKind::Reduce ? op->getOperand(0) : op->getResult(0);
    work += blockBytes(plan->blocking.blockShape(whole), word) / kShares * sharesOf(op);
  }
  int64_t steps = plan->blocking.steps();
  int64_t moved = plan->bytes + steps * waitBytes(GroupTensors(ops), plan->blocking);
  return Cost{std::max(moved, steps * work), steps};
}

size_t countOperations(ArrayRef<Operation *> ops) {
  size_t parts = llvm::count_if(ops, [](Operation *op) { return op->hasAttr(kPartAttr); });
  return ops.size() - parts + llvm::divideCeil(parts, kPartsOfOp);
}

} // namespace systole
