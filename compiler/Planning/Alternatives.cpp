// The plans of a kernel that lost against its own, and why a group of operations has none.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Alternatives.h"

#include "compiler/Planning/CarriedValues.h"
#include "compiler/Planning/Estimate.h"
#include "compiler/Planning/Legality.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/Search.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Resident.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;

namespace systole {

/// "f32[2048,512]".
static std::string text(RankedTensorType type) {
  std::string result;
  llvm::raw_string_ostream out(result);
  out << type.getElementType() << '[';
  llvm::interleave(type.getShape(), out, ",");
  out << ']';
  return result;
}

static PlanDecision decisionOf(const Blocking &blocking, double cycles) {
  PlanDecision plan;
  for (const Cut &cut : blocking.cuts) {
    Operation *op = cut.seed.getDefiningOp();
    plan.axes.push_back({op ? op->getName().stripDialect().str() : "operand",
                         text(typeOf(cut.seed)), cut.seedDim, cut.size, cut.blockSize});
  }
  plan.steps = blocking.steps();
  for (const ResidentBlocks &resident : blocking.residents)
    plan.kept.push_back(text(typeOf(resident.value)));
  plan.cycles = cycles;
  return plan;
}

PlanDecision planDecision(kernel::FusionOp fusion, const Blocking &blocking,
                          const PlanningContext &machine) {
  SmallVector<Operation *> ops = operationsOf(fusion);
  double cycles = ops.empty() ? 0
                              : estimateOf(ops, blocking, machine.model, machine.precision).cycles +
                                    copyCycles(carriedValues(fusion), blocking, machine.model);
  return decisionOf(blocking, cycles);
}

/// Whether the grids of two blockings divide the same dimensions in the same order.
static bool haveSameAxes(const Blocking &a, const Blocking &b) {
  return llvm::equal(a.cuts, b.cuts, [](const Cut &left, const Cut &right) {
    return left.seed == right.seed && left.seedDim == right.seedDim;
  });
}

static bool haveSameTiles(const Blocking &a, const Blocking &b) {
  return haveSameAxes(a, b) && llvm::equal(a.cuts, b.cuts, [](const Cut &left, const Cut &right) {
           return left.blockSize == right.blockSize;
         });
}

std::vector<PlanDecision> alternativesOf(kernel::FusionOp fusion, const Blocking &blocking,
                                         const PlanningContext &machine, size_t most) {
  SmallVector<Operation *> ops = operationsOf(fusion);
  if (ops.empty())
    return {};
  SmallVector<CarriedValue, 2> carried = carriedValues(fusion);
  SmallVector<Choice, 0> found;
  auto observe = [&](const Blocking &other, int64_t missingBytes, double cycles) {
    if (missingBytes || haveSameTiles(other, blocking))
      return;
    auto *same = llvm::find_if(
        found, [&](const Choice &choice) { return haveSameAxes(choice.blocking, other); });
    if (same == found.end())
      found.push_back({other, cycles});
    else if (cycles < same->cycles)
      *same = {other, cycles};
  };
  Axes axes(ops);
  StepBytes bytes(ops, axes.groupTensors(), machine.precision);
  auto copies = [&](const Blocking &other) { return copyCycles(carried, other, machine.model); };
  const int64_t taken = kernel::residentRowsAt(fusion) * kRowBytes;
  for (int64_t vmemBytes : {machine.vmemBytes, machine.mostVmemBytes()})
    if (searchBlocking(axes, bytes, machine, {vmemBytes - taken, blocking.residents}, copies,
                       observe))
      break;
  llvm::stable_sort(found, [](const Choice &a, const Choice &b) { return a.cycles < b.cycles; });
  std::vector<PlanDecision> plans;
  for (const Choice &choice : ArrayRef(found).take_front(most))
    plans.push_back(decisionOf(choice.blocking, choice.cycles));
  return plans;
}

std::string whyNoPlan(ArrayRef<Operation *> ops, const PlanningContext &machine) {
  Axes axes(ops);
  StepBytes bytes(ops, axes.groupTensors(), machine.precision);
  SmallVector<Blocking, 0> chunkings = axes.chunkings();
  if (chunkings.empty())
    return "sums that are done in chunks have no axis in common";
  int64_t least = std::numeric_limits<int64_t>::max();
  searchBlocking(axes, bytes, machine, {machine.vmemBytes}, nullptr,
                 [&](const Blocking &, int64_t missingBytes, double) {
                   least = std::min(least, missingBytes);
                 });
  if (least < std::numeric_limits<int64_t>::max())
    return llvm::formatv("the smallest blocks take {0:n} bytes of VMEM, of which there are {1:n}",
                         machine.vmemBytes + least, machine.vmemBytes);
  if (std::optional<Violation> violation = violationOf(chunkings.back(), axes))
    return "no plan is legal; of that with the fewest steps " + violation->reason;
  return "no plan is legal";
}

} // namespace systole
