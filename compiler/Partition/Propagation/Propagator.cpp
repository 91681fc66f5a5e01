// Propagation through a program until nothing changes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/Propagator.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace systole::partition {

Propagator::Propagator(ShardedProgram &program, const ShardingGroups &groups)
    : program(program), groups(groups) {
  number(program.main);
  isWaiting.resize(unsigned(nodes.size()));
}

void Propagator::number(Operation *op) {
  nodeOfOp[op] = nodes.size();
  nodes.push_back({op, {}});
  auto addEdges = [&](ValueRange owners) {
    for (Value owner : owners)
      if (program.flow.edgeOf(owner)) {
        nodeOfEdge[owner] = nodes.size();
        nodes.push_back({op, owner});
      }
  };
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      addEdges(block.getArguments());
      for (Operation &inner : block)
        number(&inner);
    }
  ends[op] = ends.size();
  addEdges(op->getResults());
}

const ShardingRule *Propagator::cachedRuleOf(Operation *op) {
  auto [rule, isNew] = rules.try_emplace(op);
  if (isNew)
    rule->second = ruleOf(op);
  return rule->second ? &*rule->second : nullptr;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

bool Propagator::isErased(Operation *op) const {
  auto node = nodeOfOp.find(op);
  return node != nodeOfOp.end() && nodes[node->second].isErased;
}

bool Propagator::isDead(const Node &node) const {
  if (node.edge || node.op == program.main || !wouldOpBeTriviallyDead(node.op))
    return false;
  return llvm::all_of(node.op->getResults(), [&](Value result) {
    return !program.flow.edgeOf(result) &&
           llvm::all_of(result.getUsers(), [&](Operation *user) { return isErased(user); });
  });
}

bool Propagator::hasOtherUses(Value value) const {
  size_t uses = 0;
  for (OpOperand &use : value.getUses())
    uses += !isErased(use.getOwner());
  return uses != 1;
}

//===----------------------------------------------------------------------===//
// The worklist
//===----------------------------------------------------------------------===//

void Propagator::push(size_t node) {
  if (node == current || isWaiting.test(unsigned(node)) || nodes[node].isErased)
    return;
  isWaiting.set(unsigned(node));
  worklist.push_back(node);
}

void Propagator::pushOp(Operation *op) {
  if (auto node = nodeOfOp.find(op); node != nodeOfOp.end())
    push(node->second);
}

/// The first user comes last, and so is visited first; those of data flow the other way around.
void Propagator::pushUsers(Value value, bool isEdge) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    if (!isErased(use.getOwner()))
      uses.push_back(&use);
  llvm::stable_sort(uses, [&](OpOperand *a, OpOperand *b) {
    auto place = [&](OpOperand *use) {
      return std::make_pair(ends.lookup(use->getOwner()), use->getOperandNumber());
    };
    return isEdge ? place(a) < place(b) : place(b) < place(a);
  });
  for (OpOperand *use : uses) {
    if (Value owner = program.flow.ownerOf(*use))
      push(nodeOfEdge.lookup(owner));
    else if (use->getOwner()->hasTrait<OpTrait::IsTerminator>())
      pushOp(use->getOwner()->getParentOp());
    else
      pushOp(use->getOwner());
  }
}

void Propagator::pushNeighbours(Value holder) {
  // Before the first visit all wait, and behind the last one none does.
  if (!current)
    return;
  const DataFlowEdge *edge = program.flow.edgeOf(holder);
  if (edge) {
    for (Value target : edge->targets)
      pushUsers(target, /*isEdge=*/false);
    push(nodeOfEdge.lookup(holder));
  } else if (Operation *source = holder.getDefiningOp()) {
    pushOp(source);
  }
  pushUsers(holder, edge != nullptr);
}

/// What the operation read may be without users, too.
void Propagator::erase(Node &node) {
  node.isErased = true;
  for (Value operand : node.op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    size_t others = 0;
    for (Operation *user : llvm::SetVector<Operation *>(operand.user_begin(), operand.user_end()))
      others += !isErased(user);
    if (source && others <= 1)
      pushOp(source);
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Propagator::run(OpDirectionOf newDirectionOf) {
  directionOf = newDirectionOf;
  visitEntryResults();
  for (size_t node = nodes.size(); node-- > 0;)
    push(node);
  while (!worklist.empty()) {
    const size_t node = worklist.pop_back_val();
    isWaiting.reset(unsigned(node));
    if (isDead(nodes[node])) {
      erase(nodes[node]);
      continue;
    }
    current = node;
    if (nodes[node].edge)
      visitEdge(nodes[node].edge);
    else
      visitOp(nodes[node].op);
    current.reset();
  }
  visitEntryResults();
}

Propagator::Tensor Propagator::tensorOf(Value value) {
  Tensor tensor{value, std::nullopt, [this, value](TensorSharding sharding) {
                  program.setSharding(value, std::move(sharding));
                }};
  if (const TensorSharding *own = program.shardingOf(value))
    tensor.sharding = *own;
  return tensor;
}

void Propagator::visitOp(Operation *op) {
  const ShardingRule *rule = op == program.main ? nullptr : cachedRuleOf(op);
  if (!rule)
    return;
  SmallVector<Tensor, 0> tensors;
  for (Value operand : op->getOperands())
    tensors.push_back(tensorOf(operand));
  for (Value result : op->getResults())
    tensors.push_back(tensorOf(result));
  const bool isSingleUse = llvm::none_of(op->getOperands(), [&](Value operand) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    return hasOtherUses(operand) && !(type && type.getRank() == 0);
  });
  auto direction = [&](int64_t factor) { return directionOf(op, rule, factor, isSingleUse); };
  step(tensors, op->getNumOperands(), *rule, direction, isElementwise(op));
}

void Propagator::visitEdge(Value owner) {
  const DataFlowEdge &edge = *program.flow.edgeOf(owner);
  SmallVector<Tensor, 0> tensors;
  for (OpOperand *source : edge.sources)
    tensors.push_back(tensorOf(source->get()));
  Tensor target = tensorOf(owner);
  if (target.sharding)
    target.sharding = program.toSources(owner, *target.sharding);
  target.set = [this, owner](TensorSharding sharding) {
    program.setSharding(owner, program.fromSources(owner, sharding));
  };
  tensors.push_back(std::move(target));
  auto direction = [&](int64_t factor) {
    return directionOf(edge.op, nullptr, factor, /*isSingleUse=*/true);
  };
  step(tensors, edge.sources.size(),
       identityRule(cast<ShapedType>(owner.getType()).getShape(), edge.sources.size()), direction,
       /*isElementwise=*/false);
}

void Propagator::visitEntryResults() {
  for (OpOperand &operand : program.main.getBody().front().getTerminator()->getOpOperands()) {
    if (!isStaticTensor(operand.get().getType()))
      continue;
    const size_t number = operand.getOperandNumber();
    SmallVector<Tensor, 0> tensors{tensorOf(operand.get())};
    Tensor &result = tensors.emplace_back();
    result.value = operand.get();
    if (const TensorSharding *own = program.shardingOfResult(number))
      result.sharding = *own;
    result.set = [this, number](TensorSharding sharding) {
      program.setShardingOfResult(number, std::move(sharding));
    };
    result.isEntryResult = true;
    step(
        tensors, 1, identityRule(cast<ShapedType>(operand.get().getType()).getShape(), 1),
        [](int64_t) { return kBoth; }, /*isElementwise=*/false);
  }
}

void Propagator::step(MutableArrayRef<Tensor> tensors, size_t operands, const ShardingRule &rule,
                      DirectionOf direction, bool isElementwise) {
  // Shardings on different meshes are not propagated, nor those on one device of several.
  const NamedMesh *mesh = nullptr;
  for (const Tensor &tensor : tensors) {
    if (!tensor.sharding || tensor.sharding->mesh == mesh)
      continue;
    if (!mesh || mesh->isEmpty())
      mesh = tensor.sharding->mesh;
    else if (!tensor.sharding->mesh->isEmpty())
      return;
  }
  if (!mesh || mesh->isMaximal())
    return;
  auto dimsOf = [&](size_t number) -> const TensorFactorsOfDims & {
    return number < operands ? rule.operands[number] : rule.results[number - operands];
  };
  Projection projection;
  projection.operands = operands;
  for (auto [number, tensor] : llvm::enumerate(tensors))
    projection.tensors.push_back(
        projected(dimsOf(number), tensor.sharding ? &*tensor.sharding : nullptr, rule.sizes));
  auto unblocked = [&](int64_t factor) {
    return rule.isBlocked(factor) ? kNowhere : direction(factor);
  };
  const llvm::BitVector changed =
      propagateFactors(projection, rule.sizes, unblocked, isElementwise);
  for (unsigned number : changed.set_bits())
    update(tensors[number],
           unprojected(projection.tensors[number], dimsOf(number), rule.sizes, mesh));
}

void Propagator::update(Tensor &tensor, const TensorSharding &sharding) {
  if (tensor.sharding ? sharding == *tensor.sharding : !sharding.isDivided())
    return;
  tensor.set(sharding);
  Value holder = program.holderOf(tensor.value);
  if (tensor.isEntryResult || !holder)
    return;
  pushNeighbours(holder);
  for (Value member : groups.membersOf(holder)) {
    if (program.holderOf(member) == holder)
      continue;
    program.setSharding(member, sharding);
    pushNeighbours(program.holderOf(member));
  }
}

} // namespace systole::partition
