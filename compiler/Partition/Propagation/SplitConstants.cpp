// Constants of their own for each use.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/Preparation.h"
#include "compiler/Partition/Propagation/ShardingRule.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

/// Whether the result is constant if the operands are.
static bool isConstantPreserving(Operation *op) {
  return isPure(op) && (isa<BroadcastInDimOp, ReshapeOp, SliceOp>(op) || isElementwise(op));
}

static bool isGroup(Operation *op) { return isSdy(op, "sharding_group"); }

namespace {

class ConstantSplitter {
public:
  void run(Region &region);

private:
  void visit(Operation *op);
  void clone(Value value, IRMapping &clones);
  static void eraseUnused(Operation *op);

  llvm::SetVector<Operation *> constants, scalarBroadcasts;
};

void ConstantSplitter::run(Region &region) {
  region.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  for (Operation *op : scalarBroadcasts)
    eraseUnused(op);
  for (Operation *op : llvm::reverse(constants))
    eraseUnused(op);
}

void ConstantSplitter::visit(Operation *op) {
  if (isGroup(op))
    return;
  auto isConstant = [&](Value operand) { return constants.contains(operand.getDefiningOp()); };
  if (isa<ConstantOp, IotaOp>(op) ||
      (isConstantPreserving(op) && llvm::all_of(op->getOperands(), isConstant))) {
    constants.insert(op);
    return;
  }
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op);
      broadcast && isScalar(broadcast.getOperand())) {
    scalarBroadcasts.insert(op);
    return;
  }
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *source = operand.get().getDefiningOp();
    if (isScalar(operand.get()) ||
        !(constants.contains(source) || scalarBroadcasts.contains(source)))
      continue;
    IRMapping clones;
    clone(operand.get(), clones);
    operand.set(clones.lookup(operand.get()));
  }
}

/// Clones what a value is computed from, but for scalars, which are not divided.
void ConstantSplitter::clone(Value value, IRMapping &clones) {
  Operation *op = value.getDefiningOp();
  if (!op || isScalar(value) || clones.contains(value))
    return;
  for (Value operand : op->getOperands())
    clone(operand, clones);
  OpBuilder b(op);
  b.clone(*op, clones);
  for (Operation *user : llvm::to_vector(value.getUsers()))
    if (isGroup(user))
      b.clone(*user, clones);
}

void ConstantSplitter::eraseUnused(Operation *op) {
  if (!llvm::all_of(op->getUsers(), isGroup))
    return;
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    user->erase();
  op->erase();
}

} // namespace

void splitConstants(func::FuncOp main) { ConstantSplitter().run(main.getBody()); }

} // namespace systole::partition
