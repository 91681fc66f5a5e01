// Arrays that VMEM keeps for several kernels: which can be, and plans that read or write them
// there.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Residency/ResidentArrays.h"

#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/StepBytes.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/CountedLoops.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace systole {

int64_t tripsOf(stablehlo::WhileOp loop) {
  std::optional<CountedLoop> counted = CountedLoop::of(loop);
  return counted ? counted->trips() : 2;
}

bool isReadInBlocks(OpOperand &read) {
  auto fusion = dyn_cast<kernel::FusionOp>(read.getOwner());
  if (!fusion)
    return false;
  const unsigned number = read.getOperandNumber();
  for (unsigned result = 0; result < fusion.getNumResults(); ++result)
    if (updatedInput(fusion, result) == number)
      return false;
  BlockArgument argument = fusion.getBody().front().getArgument(number);
  return !readsInHbm(fusion, number) && llvm::all_of(argument.getUses(), [](OpOperand &use) {
    return !isWindowed(use) && !isIndexOperand(use);
  });
}

bool isWrittenInBlocks(OpResult result) {
  auto fusion = dyn_cast<kernel::FusionOp>(result.getOwner());
  if (!fusion || updatedInput(fusion, result.getResultNumber()))
    return false;
  ValueRange values = fusion.getBody().front().getTerminator()->getOperands();
  Value value = values[result.getResultNumber()];
  return !isa<BlockArgument>(value) && llvm::count(values, value) == 1;
}

/// The values of the body of `fusion` that are the candidate.
static SmallVector<Value, 2> valuesOf(kernel::FusionOp fusion, const KeepCandidate &candidate) {
  Block &block = fusion.getBody().front();
  SmallVector<Value, 2> values;
  for (OpOperand *read : candidate.reads)
    if (read->getOwner() == fusion)
      values.push_back(block.getArgument(read->getOperandNumber()));
  if (candidate.written && candidate.written.getOwner() == fusion)
    values.push_back(block.getTerminator()->getOperand(candidate.written.getResultNumber()));
  return values;
}

/// The array that `fusion` reads as argument `value`, if VMEM has it for this kernel alone, which
/// can choose other blocks of it.
static kernel::ResidentOp ownResident(kernel::FusionOp fusion, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto resident =
      argument ? fusion.getInputs()[argument.getArgNumber()].getDefiningOp<kernel::ResidentOp>()
               : nullptr;
  const bool isLoadedOnce = resident && (resident.getResidency() == kernel::Residency::loop ||
                                         resident.getResidency() == kernel::Residency::carried);
  bool isOwn = isLoadedOnce &&
               llvm::all_of(resident->getUsers(), [&](Operation *user) { return user == fusion; });
  return isOwn ? resident : nullptr;
}

/// The block of `value` that `plan` has.
static SmallVector<int64_t, 4> blockIn(kernel::FusionOp fusion, kernel::PlanAttr plan,
                                       Value value) {
  kernel::PlanAttr before = *fusion.getPlan();
  fusion.setPlanAttr(plan);
  FailureOr<Blocking> blocking = blockingOf(fusion);
  fusion.setPlanAttr(before);
  assert(succeeded(blocking) && "the planner makes plans that can be followed");
  return llvm::SmallVector<int64_t, 4>(blocking->copiedShape({value}));
}

std::optional<SmallVector<FusionCalls>> ResidentArrays::fusionsIn(Block &block) {
  SmallVector<FusionCalls> fusions;
  bool hasPlans = true;
  block.walk([&](kernel::FusionOp fusion) {
    double calls = 1;
    for (Operation *inner = fusion->getParentOp(); inner != block.getParentOp();
         inner = inner->getParentOp())
      if (auto loop = dyn_cast<stablehlo::WhileOp>(inner))
        calls *= double(tripsOf(loop));
    fusions.push_back({fusion, calls});
    hasPlans &= plans.planFusion(fusion);
  });
  return hasPlans ? std::optional(std::move(fusions)) : std::nullopt;
}

std::optional<SmallVector<FusionCalls>> ResidentArrays::fusionsIn(stablehlo::WhileOp loop) {
  SmallVector<FusionCalls> fusions;
  for (Region &region : loop->getRegions()) {
    std::optional<SmallVector<FusionCalls>> found = fusionsIn(region.front());
    if (!found)
      return std::nullopt;
    llvm::append_range(fusions, *found);
  }
  return fusions;
}

bool ResidentArrays::fits(kernel::FusionOp fusion, int64_t place) {
  auto [it, isNew] = footprints.try_emplace(fusion);
  if (isNew) {
    FailureOr<Blocking> blocking = blockingOf(fusion);
    SmallVector<Operation *> ops = operationsOf(fusion);
    Axes axes(ops);
    StepBytes bytes(ops, axes.groupTensors(), plans.machine().precision);
    it->second = succeeded(blocking) ? bytes.footprint(*blocking) : INT64_MAX;
  }
  return it->second <= vmem.freeBytes(fusion, place);
}

/// Plans a fusion anew with the candidate, or beside it.
bool ResidentArrays::plan(const FusionCalls &call, const KeepCandidate &candidate,
                          KeepChange &change) {
  ++asked;
  kernel::FusionOp fusion = call.fusion;
  SmallVector<ResidentBlocks, 0> operands = residentOperands(fusion);
  for (ResidentBlocks &operand : operands)
    if (ownResident(fusion, operand.value))
      operand.block.clear();
  SmallVector<Value, 2> values = valuesOf(fusion, candidate);
  for (Value value : values)
    operands.push_back({value, change.block});
  std::optional<kernel::PlanAttr> plan =
      plans.planIn(fusion, {vmem.freeBytes(fusion, change.place), operands});
  if (!plan)
    return false;
  change.gain += call.calls * double(fusion.getPlan()->getEstimate() - plan->getEstimate());
  change.plans.emplace_back(fusion, *plan);
  if (change.block.empty() && !values.empty())
    change.block = blockIn(fusion, *plan, values.front());
  for (const ResidentBlocks &operand : operands)
    if (kernel::ResidentOp resident = ownResident(fusion, operand.value)) {
      auto block = blockIn(fusion, *plan, operand.value);
      if (kernel::rowsInBlocks(typeOf(operand.value), block) > resident.getRows())
        return false;
      change.blocks.emplace_back(resident, std::move(block));
    }
  return true;
}

std::optional<KeepChange> ResidentArrays::changeFor(const KeepCandidate &candidate,
                                                    kernel::Lifetime lifetime,
                                                    ArrayRef<FusionCalls> fusions) {
  RankedTensorType type = typeOf(candidate.array);
  int64_t rows = kernel::rowsInBlocks(type, type.getShape());
  std::optional<KeepChange> change = changeWithin(rows, candidate, lifetime, fusions);
  if (!change)
    return std::nullopt;
  // Blocks of a few rows or lanes are padded.
  const int64_t padded = kernel::rowsInBlocks(type, change->block);
  if (padded <= rows)
    return change;
  change = changeWithin(padded, candidate, lifetime, fusions);
  bool hasRoom = change && kernel::rowsInBlocks(type, change->block) <= padded;
  return hasRoom ? std::move(change) : std::nullopt;
}

std::optional<KeepChange> ResidentArrays::changeWithin(int64_t rows, const KeepCandidate &candidate,
                                                       kernel::Lifetime lifetime,
                                                       ArrayRef<FusionCalls> fusions) {
  KeepChange change;
  if (candidate.isWhole)
    llvm::append_range(change.block, typeOf(candidate.array).getShape());
  change.place = vmem.firstFreeRow(0, rows, lifetime) + rows;
  if (!vmem.hasRoomForCopies(change.place))
    return std::nullopt;
  llvm::SmallPtrSet<Operation *, 4> users;
  if (candidate.written)
    users.insert(candidate.written.getOwner());
  for (OpOperand *read : candidate.reads)
    users.insert(read->getOwner());
  for (const FusionCalls &call : fusions)
    if (users.contains(call.fusion) && !plan(call, candidate, change))
      return std::nullopt;
  if (change.gain <= 0)
    return std::nullopt;
  for (const FusionCalls &call : fusions)
    if (!users.contains(call.fusion) && !fits(call.fusion, change.place))
      if (!plan(call, candidate, change) || change.gain <= 0)
        return std::nullopt;
  return change;
}

static kernel::PlacementAttr placementOf(Value array, ArrayRef<int64_t> block,
                                         kernel::Residency residency, int64_t place, int32_t flag) {
  return kernel::PlacementAttr::get(array.getContext(), residency,
                                    kernel::rowsInBlocks(typeOf(array), block), place, flag);
}

kernel::ResidentOp ResidentArrays::keep(OpBuilder &b, Value source, const KeepChange &change,
                                        kernel::Residency residency, int32_t flag,
                                        ArrayRef<FusionCalls> fusions) {
  if (residency == kernel::Residency::kernels)
    for (FusionCalls call : fusions)
      call.fusion.setReserved(
          std::max<int64_t>(call.fusion.getReserved().value_or(0), change.place));
  auto resident =
      kernel::ResidentOp::create(b, source.getLoc(), source.getType(), source, change.block,
                                 placementOf(source, change.block, residency, change.place, flag));
  vmem.add(resident);
  apply(change);
  return resident;
}

void ResidentArrays::apply(const KeepChange &change) {
  for (const auto &[changed, block] : change.blocks) {
    kernel::ResidentOp resident = changed;
    resident.setBlock(block);
    resident.setPlacementAttr(
        placementOf(resident, block, resident.getResidency(), resident.getPlace(), -1));
  }
  for (auto [fusion, plan] : change.plans) {
    fusion.setPlanAttr(plan);
    footprints.erase(fusion);
  }
}

KeepChange ResidentArrays::inverse(const KeepChange &change) const {
  KeepChange before;
  for (auto [fusion, plan] : change.plans)
    before.plans.emplace_back(fusion, *fusion.getPlan());
  for (const auto &[changed, block] : change.blocks) {
    kernel::ResidentOp resident = changed;
    before.blocks.emplace_back(resident, SmallVector<int64_t, 4>(resident.getBlock()));
  }
  return before;
}

void ResidentArrays::undo(kernel::ResidentOp resident, const KeepChange &before) {
  apply(before);
  vmem.remove(resident);
  resident.erase();
}

} // namespace systole
