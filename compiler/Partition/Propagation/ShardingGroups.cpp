// Values that are divided alike.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/Preparation.h"
#include "compiler/Partition/Propagation/ShardingRule.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace systole::partition {

LogicalResult ShardingGroups::read(ShardedProgram &program) {
  // Groups that have a value in common are one.
  llvm::EquivalenceClasses<int64_t> same;
  llvm::MapVector<Value, SmallVector<int64_t>> idsOf;
  llvm::DenseMap<int64_t, Value> firstOf;
  WalkResult walk = program.main.walk([&](Operation *op) {
    if (!isSdy(op, "sharding_group") || op->getNumOperands() != 1)
      return WalkResult::advance();
    auto id = op->getAttrOfType<IntegerAttr>("group_id");
    if (!id)
      return WalkResult(op->emitError() << "has no group");
    Value value = op->getOperand(0);
    Value first = firstOf.try_emplace(id.getInt(), value).first->second;
    auto shapeOf = [](Value value) { return cast<ShapedType>(value.getType()).getShape(); };
    if (shapeOf(first) != shapeOf(value))
      return WalkResult(op->emitError() << "puts tensors of different shapes into a group");
    idsOf[value].push_back(id.getInt());
    same.unionSets(idsOf[value].front(), id.getInt());
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  std::map<int64_t, SmallVector<Value>> byLeader;
  for (auto &[value, ids] : idsOf)
    byLeader[same.getLeaderValue(ids.front())].push_back(value);
  for (auto &[leader, members] : byLeader)
    agree(program, groups.emplace_back(std::move(members)));
  for (auto [number, members] : llvm::enumerate(groups))
    for (Value member : members)
      groupOf[program.holderOf(member)] = number;
  return success();
}

void ShardingGroups::agree(ShardedProgram &program, SmallVector<Value> &members) {
  std::optional<TensorSharding> common;
  bool isConflict = false;
  for (Value member : members) {
    const TensorSharding *own = program.shardingOf(member);
    const bool saysNothing =
        !own || (members.size() > 1 && !own->isDivided() &&
                 llvm::none_of(own->dims, [](const DimSharding &dim) { return dim.isClosed; }));
    if (saysNothing)
      continue;
    if (!common)
      common = *own;
    isConflict |= *own != *common;
  }
  if (!common)
    return;
  for (Value &member : members) {
    if (isConflict)
      member =
          program.insertConstraint(member, TensorSharding::open(common->mesh, common->dims.size()))
              ->getResult(0);
    else
      program.setSharding(member, *common);
  }
}

ArrayRef<Value> ShardingGroups::membersOf(Value holder) const {
  auto group = groupOf.find(holder);
  return group == groupOf.end() ? ArrayRef<Value>() : ArrayRef<Value>(groups[group->second]);
}

} // namespace systole::partition
