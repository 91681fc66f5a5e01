// The planner: plans of groups, and what they cost.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Planner.h"

#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorTypes.h"
#include "compiler/Planning/GroupKey.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/Search.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "systole-planner"

using namespace mlir;

namespace systole {

SmallVector<Value> valuesOf(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  llvm::SetVector<Value> values;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()))
        values.insert(operand);
  for (Operation *op : ops)
    values.insert_range(op->getResults());
  return values.takeVector();
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

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

/// Bytes that HBM moves while the vector unit does the work of a step.
static int64_t workBytes(ArrayRef<Operation *> ops, const Blocking &blocking) {
  int64_t work = 0;
  for (Operation *op : ops) {
    OpKind kind = kindOf(op);
    if (kind != OpKind::Elementwise && kind != OpKind::Reduce)
      continue;
    Value whole = kind == OpKind::Reduce ? op->getOperand(0) : op->getResult(0);
    Type word = Float32Type::get(op->getContext());
    work += blockBytes(blocking.blockShape(whole), word) / kShares * sharesOf(op);
  }
  return work;
}

static Plan planOf(const Blocking &blocking, const Axes &axes, const StepBytes &bytes) {
  ArrayRef<Operation *> ops = axes.operations();
  SmallVector<Value> values = valuesOf(ops);
  Plan plan;
  for (const Cut &cut : blocking.cuts) {
    unsigned number = llvm::find(values, cut.seed) - values.begin();
    plan.axes.push_back({number, cut.seedDim, cut.blockSize});
  }
  plan.steps = blocking.steps();
  plan.bytes = bytes.movedOnce(blocking);
  plan.productBytes = productBytes(ops, blocking);
  int64_t moved = plan.bytes + plan.steps * waitBytes(axes.groupTensors(), blocking);
  plan.busyBytes = std::max(moved, plan.steps * workBytes(ops, blocking));
  return plan;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

std::optional<Plan> Planner::planWithin(ArrayRef<Operation *> ops, int64_t vmemBytes) {
  ++requestCount;
  std::string key = groupKey(ops);
  key.append(reinterpret_cast<const char *>(&vmemBytes), sizeof(vmemBytes));
  auto [it, isNew] = known.try_emplace(key);
  if (isNew) {
    Axes axes(ops);
    StepBytes bytes(ops, axes.groupTensors());
    if (std::optional<Blocking> blocking = searchBlocking(axes, bytes, vmemBytes))
      it->second = planOf(*blocking, axes, bytes);
  }
  return it->second;
}

std::optional<Plan> Planner::plan(ArrayRef<Operation *> ops, VmemUse use) {
  std::optional<Plan> plan = planWithin(ops, context.vmemBytes);
  if (!plan && use == VmemUse::Most)
    plan = planWithin(ops, context.mostVmemBytes());
  return plan;
}

Blocking Planner::blockingOf(ArrayRef<Operation *> ops, const Plan &plan) {
  SmallVector<Value> values = valuesOf(ops);
  Axes axes(ops);
  Blocking blocking;
  for (const Plan::Axis &axis : plan.axes) {
    std::optional<Cut> cut = axes.cutAlong(values[axis.value], axis.dim);
    assert(cut && "the plan is of another group");
    cut->blockSize = axis.tile;
    blocking.cuts.push_back(std::move(*cut));
  }
  return blocking;
}

bool Planner::planFusion(kernel::FusionOp fusion) {
  if (fusion.getPlan())
    return true;
  SmallVector<Operation *> ops = operationsOf(fusion);
  Plan found;
  if (!ops.empty()) {
    std::optional<Plan> plan = this->plan(ops, VmemUse::Most);
    if (!plan)
      return false;
    found = *std::move(plan);
  }
  fusion.setPlanAttr(toAttribute(blockingOf(ops, found), fusion));
  return true;
}

Planner::~Planner() {
  LLVM_DEBUG(llvm::dbgs() << "planner: " << requests() << " requests, " << searches()
                          << " searches\n");
}

} // namespace systole
