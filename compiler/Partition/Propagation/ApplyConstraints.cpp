// The shardings of constraints as those of the values that they read.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/Preparation.h"
#include "compiler/Partition/Propagation/ShardingRule.h"

using namespace mlir;

namespace systole::partition {

namespace {

bool isConstraint(Operation *op) { return isSdy(op, "sharding_constraint"); }

class ConstraintApplier {
public:
  explicit ConstraintApplier(ShardedProgram &program) : program(program) {}

  void run();

private:
  void visitConstraint(Operation *op);
  void visitManual(Operation *op);
  /// The last of several constraints that read each other, of which `head` is the first; null if
  /// others read a value between them.
  Operation *tailOf(Operation *head) const;
  /// Whether a value is to have the sharding of a constraint or of an operand.
  bool shouldApply(Value value, const TensorSharding &sharding) const;
  /// Gives `value` a sharding; on values of data flow by `constrain`, which leaves other uses of
  /// the flow as they are.
  void apply(Value value, const TensorSharding &sharding, function_ref<void()> constrain);

  bool isReadByOthers(Value value, Operation *reader) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return user != reader && (isConstraint(user) || program.manual.contains(user));
    });
  }

  ShardedProgram &program;
};

bool ConstraintApplier::shouldApply(Value value, const TensorSharding &sharding) const {
  if (!program.holderOf(value) || program.shardingOf(value) || !sharding.isFullyClosed())
    return false;
  return llvm::none_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isConstraint(user))
      return *program.shardingOf(user->getResult(0)) != sharding;
    auto own = program.manual.find(user);
    return own != program.manual.end() && own->second.in[use.getOperandNumber()] != sharding;
  });
}

void ConstraintApplier::apply(Value value, const TensorSharding &sharding,
                              function_ref<void()> constrain) {
  if (!shouldApply(value, sharding))
    return;
  if (!program.flow.ownerOf(value))
    return program.setSharding(value, sharding);
  constrain();
  if (sharding.unreduced.empty())
    return;
  // These are not propagated.
  TensorSharding own = TensorSharding::open(sharding.mesh, sharding.dims.size());
  own.unreduced = sharding.unreduced;
  own.reduction = sharding.reduction;
  program.setSharding(value, std::move(own));
}

Operation *ConstraintApplier::tailOf(Operation *head) const {
  Value input = head->getOperand(0);
  if ((input.getDefiningOp() && isConstraint(input.getDefiningOp())) || program.shardingOf(input) ||
      isReadByOthers(input, head))
    return nullptr;
  Operation *tail = head;
  while (tail->hasOneUse() && isConstraint(*tail->user_begin()))
    tail = *tail->user_begin();
  return tail == head || isReadByOthers(tail->getResult(0), nullptr) ? nullptr : tail;
}

void ConstraintApplier::visitConstraint(Operation *op) {
  Value input = op->getOperand(0);
  if (Operation *tail = tailOf(op))
    input.replaceUsesWithIf(tail->getResult(0), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return user != op && !isa<func::ReturnOp>(user) && user->getBlock() == tail->getBlock() &&
             tail->isBeforeInBlock(user);
    });
  const TensorSharding sharding = *program.shardingOf(op->getResult(0));
  apply(input, sharding, [&] {
    if (Operation *source = input.getDefiningOp()) {
      op->moveAfter(source);
    } else {
      Block *block = cast<BlockArgument>(input).getOwner();
      op->moveBefore(block, block->begin());
    }
    input.replaceAllUsesExcept(op->getResult(0), op);
  });
}

void ConstraintApplier::visitManual(Operation *op) {
  for (auto [number, sharding] : llvm::enumerate(program.manual[op].in)) {
    Value operand = op->getOperand(unsigned(number));
    apply(operand, sharding,
          [&, &sharding = sharding] { program.insertConstraint(operand, sharding); });
  }
}

void ConstraintApplier::run() {
  SmallVector<Operation *> ops;
  program.main.walk([&](Operation *op) {
    if (isConstraint(op) || program.manual.contains(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    isConstraint(op) ? visitConstraint(op) : visitManual(op);
}

} // namespace

void applyConstraints(ShardedProgram &program) { ConstraintApplier(program).run(); }

} // namespace systole::partition
