// The planner: plans of groups, and what they cost.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Planner.h"

#include "compiler/Diagnostics/Debug.h"
#include "compiler/Planning/CarriedValues.h"
#include "compiler/Planning/GroupKey.h"
#include "compiler/Planning/PlanAttribute.h"
#include "dialects/Kernel/Resident.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

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

static Plan planOf(const Choice &choice, const Axes &axes) {
  ArrayRef<Operation *> ops = axes.operations();
  SmallVector<Value> values = valuesOf(ops);
  auto numberOf = [&](Value value) -> unsigned {
    return llvm::find(values, value) - values.begin();
  };
  Plan plan;
  for (const Cut &cut : choice.blocking.cuts)
    plan.axes.push_back({numberOf(cut.seed), cut.seedDim, cut.blockSize});
  for (const auto &[operand, count] : choice.blocking.divided) {
    Plan::Pieces &pieces = plan.divided.emplace_back(numberOf(operand.value), std::nullopt, count);
    if (operand.ownUse)
      pieces.ownUse.emplace(llvm::find(ops, operand.ownUse->getOwner()) - ops.begin(),
                            operand.ownUse->getOperandNumber());
  }
  plan.steps = choice.blocking.steps();
  plan.cycles = choice.cycles;
  return plan;
}

[[maybe_unused]] static void printPlan(raw_ostream &out, ArrayRef<Operation *> ops,
                                       const std::optional<Plan> &plan) {
  out << "planner: ";
  llvm::interleaveComma(ops, out, [&](Operation *op) { out << op->getName().stripDialect(); });
  if (!plan) {
    out << ": no plan\n";
    return;
  }
  out << ": " << std::llround(plan->cycles) << " cycles in " << plan->steps << " steps";
  for (const Plan::Axis &axis : plan->axes)
    out << ", value " << axis.value << " dim " << axis.dim << " by " << axis.tile;
  out << '\n';
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

std::optional<Plan> Planner::planWithin(ArrayRef<Operation *> ops, const VmemShare &vmem) {
  ++requestCount;
  std::string key = groupKey(ops);
  auto add = [&](int64_t number) {
    key.append(reinterpret_cast<const char *>(&number), sizeof(number));
  };
  add(vmem.bytes);
  SmallVector<Value> values;
  if (!vmem.residents.empty())
    values = valuesOf(ops);
  for (const ResidentBlocks &resident : vmem.residents) {
    add(llvm::find(values, resident.value) - values.begin());
    add(int64_t(resident.block.size()));
    llvm::for_each(resident.block, add);
  }
  auto [it, isNew] = known.try_emplace(key);
  if (isNew) {
    Axes axes(ops);
    StepBytes bytes(ops, axes.groupTensors(), context.precision);
    if (std::optional<Choice> choice = searchBlocking(axes, bytes, context, vmem))
      it->second = planOf(*choice, axes);
    LLVM_DEBUG(printPlan(llvm::dbgs(), ops, it->second));
  }
  return it->second;
}

std::optional<Plan> Planner::plan(ArrayRef<Operation *> ops, VmemUse use) {
  std::optional<Plan> plan = planWithin(ops, {context.vmemBytes});
  if (!plan && use == VmemUse::Most)
    plan = planWithin(ops, {context.mostVmemBytes()});
  return plan;
}

Blocking Planner::blockingOf(ArrayRef<Operation *> ops, const Plan &plan) {
  SmallVector<Value> values = valuesOf(ops);
  CutPropagation propagation(ops);
  Blocking blocking;
  for (const Plan::Axis &axis : plan.axes) {
    std::optional<Cut> cut = propagation.cut(values[axis.value], axis.dim);
    assert(cut && "the plan is of another group");
    cut->blockSize = axis.tile;
    blocking.cuts.push_back(std::move(*cut));
  }
  for (const auto &[value, ownUse, count] : plan.divided) {
    OpOperand *use = ownUse ? &ops[ownUse->first]->getOpOperand(ownUse->second) : nullptr;
    blocking.divided.push_back({{values[value], use}, count});
  }
  return blocking;
}

bool Planner::planFusion(kernel::FusionOp fusion) {
  if (fusion.getPlan())
    return true;
  SmallVector<ResidentBlocks, 0> residents = residentOperands(fusion);
  const int64_t taken = kernel::residentRowsAt(fusion) * kRowBytes;
  std::optional<kernel::PlanAttr> plan = planIn(fusion, {context.vmemBytes - taken, residents});
  if (!plan)
    plan = planIn(fusion, {context.mostVmemBytes() - taken, residents});
  if (plan)
    fusion.setPlanAttr(*plan);
  return plan.has_value();
}

std::optional<kernel::PlanAttr> Planner::planIn(kernel::FusionOp fusion, const VmemShare &vmem) {
  SmallVector<Operation *> ops = operationsOf(fusion);
  Plan found;
  if (!ops.empty()) {
    SmallVector<CarriedValue, 2> carried = carriedValues(fusion);
    std::optional<Plan> plan =
        carried.empty() ? planWithin(ops, vmem) : planCarried(ops, carried, vmem);
    if (!plan)
      return std::nullopt;
    found = *std::move(plan);
  }
  Blocking blocking = blockingOf(ops, found);
  blocking.residents.assign(vmem.residents.begin(), vmem.residents.end());
  return toAttribute(blocking, fusion, found.cycles);
}

std::optional<Plan> Planner::planCarried(ArrayRef<Operation *> ops, ArrayRef<CarriedValue> carried,
                                         const VmemShare &vmem) {
  Axes axes(ops);
  StepBytes bytes(ops, axes.groupTensors(), context.precision);
  auto copies = [&](const Blocking &blocking) {
    return copyCycles(carried, blocking, context.model);
  };
  std::optional<Choice> choice = searchBlocking(axes, bytes, context, vmem, copies);
  if (!choice)
    return std::nullopt;
  choice->cycles -= copies(choice->blocking);
  return planOf(*choice, axes);
}

Planner::~Planner() {
  LLVM_DEBUG(llvm::dbgs() << "planner: " << requests() << " requests, " << searches()
                          << " searches\n");
}

} // namespace systole
