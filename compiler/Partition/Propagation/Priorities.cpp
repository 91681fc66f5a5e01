// Propagation by the priorities of users and of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/Propagator.h"
#include "dialects/StableHLO/StableHLO.h"

#include <map>
#include <vector>

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

namespace {

bool isCopyOfHost(Operation *op) {
  auto call = dyn_cast<CustomCallOp>(op);
  return call &&
         (call.getCallTargetName() == "MoveToDevice" || call.getCallTargetName() == "MoveToHost");
}

/// Through what elements pass as they are. An operand with other users could be in conflict with
/// them.
Direction passThrough(Operation *op, const ShardingRule *rule, bool isSingleUse) {
  if (!isSingleUse)
    return kNowhere;
  if (!rule || isElementwise(op) || isCopyOfHost(op) || isa<ReshapeOp, TransposeOp>(op))
    return kBoth;
  return isa<DynamicSliceOp, DynamicUpdateSliceOp>(op) ? kForward : kNowhere;
}

/// Where axes pass from step `step` on, which includes all steps before.
Direction directionAt(int step, Operation *op, const ShardingRule *rule, int64_t factor,
                      bool isSingleUse) {
  const Direction unlessBroadcast = isa<BroadcastInDimOp>(op) && rule ? kBackward : kBoth;
  unsigned direction = passThrough(op, rule, isSingleUse);
  if (step >= 1)
    direction |= passThrough(op, rule, /*isSingleUse=*/true);
  if (step >= 2 && (!rule || rule->isPassThrough(factor)))
    direction |= unlessBroadcast;
  if (step >= 3)
    direction |= unlessBroadcast;
  if (step >= 4)
    direction |= kBoth;
  return Direction(direction);
}
constexpr int kSteps = 5;

void propagateOps(Propagator &propagator) {
  for (int step = 0; step < kSteps; ++step)
    propagator.run([&](Operation *op, const ShardingRule *rule, int64_t factor, bool isSingleUse) {
      return directionAt(step, op, rule, factor, isSingleUse);
    });
}

/// A sharding of which dimensions wait for their priority's turn.
struct Deferred {
  ShardedProgram::Place place;
  TensorSharding original;
};
using DeferredByPriority = std::map<int64_t, std::vector<Deferred>>;

/// Closes all dimensions but those of priority 0, and reserves their axes.
DeferredByPriority defer(ShardedProgram &program) {
  DeferredByPriority deferred;
  program.forEachSharding([&](ShardedProgram::Place place, TensorSharding &sharding) {
    const TensorSharding original = sharding;
    llvm::SmallSetVector<int64_t, 2> priorities;
    for (DimSharding &dim : sharding.dims) {
      const int64_t priority = dim.priority.value_or(0);
      dim.priority.reset();
      if (priority == 0)
        continue;
      priorities.insert(priority);
      llvm::append_range(sharding.replicated, dim.axes);
      dim = {{}, /*isClosed=*/true, std::nullopt};
    }
    sortByMesh(sharding.replicated, sharding.mesh->mesh);
    for (int64_t priority : priorities)
      deferred[priority].push_back({place, original});
  });
  return deferred;
}

/// Gives a sharding the dimensions of a priority that it has originally.
void restore(TensorSharding &sharding, const TensorSharding &original, int64_t priority) {
  for (auto [dim, own] : llvm::zip_equal(sharding.dims, original.dims)) {
    if (own.priority.value_or(0) != priority)
      continue;
    dim = own;
    dim.priority.reset();
    llvm::erase_if(sharding.replicated, [&, &axes = own.axes](const AxisPart &axis) {
      return llvm::is_contained(axes, axis);
    });
  }
}

} // namespace

void propagateByPriority(ShardedProgram &program, const ShardingGroups &groups) {
  const DeferredByPriority deferred = defer(program);
  Propagator propagator(program, groups);
  propagateOps(propagator);
  for (const auto &[priority, shardings] : deferred) {
    for (const Deferred &sharding : shardings)
      restore(program.at(sharding.place), sharding.original, priority);
    propagateOps(propagator);
  }
}

} // namespace systole::partition
