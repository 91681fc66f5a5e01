// When the kernels of a loop run, and when parts that they read arrive.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Residency/LoopSchedule.h"

#include "compiler/Planning/Estimate.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/SequencerScalars.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

/// Iterations that are looked at one by one; the later ones take as long as the last of these.
static constexpr int64_t kMostIterations = 4;

LoopSchedule::LoopSchedule(stablehlo::WhileOp loop, int64_t trips, ArrayRef<FusionCalls> fusions,
                           const PlanningContext &machine)
    : body(&loop.getBody().front()), trips(trips), fusions(fusions), machine(machine) {
  for (const FusionCalls &call : fusions) {
    kernel::FusionOp fusion = call.fusion;
    places.push_back(body->findAncestorOpInBlock(*fusion));
  }
}

/// Whether a kernel of an iteration hands an array to later ones. It is taken to stay in VMEM,
/// which is decided after this.
static bool isHandedOn(Value array, Block *body) {
  auto result = dyn_cast<OpResult>(array);
  return result && result.getOwner()->getBlock() == body && isWrittenInBlocks(result) &&
         !result.use_empty() && llvm::all_of(result.getUses(), isReadInBlocks);
}

const LoopSchedule::Timing &LoopSchedule::timingOf(kernel::FusionOp fusion) {
  auto [it, isNew] = timings.try_emplace(fusion);
  if (!isNew)
    return it->second;
  FailureOr<Blocking> blocking = blockingOf(fusion);
  SmallVector<Operation *> ops = operationsOf(fusion);
  if (failed(blocking) || ops.empty())
    return it->second;
  Block &inner = fusion.getBody().front();
  Timing &timing = it->second;
  auto leaveOut = [&](Value value) {
    blocking->residents.push_back({value, SmallVector<int64_t, 4>(blocking->copiedShape({value}))});
  };
  for (auto [input, argument] : llvm::zip_equal(fusion.getInputs(), inner.getArguments())) {
    if (isIntegerScalar(input) || kernel::residentOf(input))
      continue;
    if (isHandedOn(input, body))
      leaveOut(argument);
    else
      timing.reads = true;
  }
  for (auto [result, value] :
       llvm::zip_equal(fusion.getResults(), inner.getTerminator()->getOperands()))
    if (isHandedOn(result, body) && !blocking->isResident(value))
      leaveOut(value);
  Estimate estimate = estimateOf(ops, *blocking, machine.model, machine.precision);
  timing.cycles = estimate.cycles;
  timing.hbm = estimate.busy[Estimate::hbm];
  return timing;
}

double LoopSchedule::idleCycles(kernel::FusionOp fusion) {
  const Timing &timing = timingOf(fusion);
  return std::max(timing.cycles - timing.hbm, 0.0);
}

void LoopSchedule::forget(const KeepChange &change) {
  for (auto [fusion, plan] : change.plans)
    timings.erase(fusion);
}

double LoopSchedule::cyclesOf(ArrayRef<PartLoad> loads) {
  double now = 0, channelFree = 0;
  SmallVector<double> arrivals(loads.size());
  auto start = [&](size_t number) {
    now += machine.model.dmaIssue();
    channelFree = std::max(now + machine.model.dmaLatency(), channelFree) + loads[number].cycles;
    arrivals[number] = channelFree;
  };
  auto startAll = [&](auto &&isHere) {
    for (size_t number = 0; number < loads.size(); ++number)
      if (isHere(loads[number]))
        start(number);
  };
  auto run = [&](const Timing &timing, double calls) {
    // A kernel counts the time until its own first copy begins, if the channel is free then.
    const double begin = std::max(now + machine.model.dmaLatency(), channelFree);
    const double waits = timing.reads ? begin - machine.model.dmaLatency() - now : 0;
    now += waits + calls * timing.cycles;
    // Its last copies out are in flight when it ends.
    if (timing.hbm > 0)
      now = std::max(now, channelFree = begin + calls * timing.hbm);
  };
  startAll([](const PartLoad &load) { return !load.start; });
  double before = 0;
  const int64_t count = std::min(trips, kMostIterations);
  for (int64_t trip = 0; trip < count; ++trip) {
    before = now;
    Operation *last = nullptr;
    auto finish = [&] {
      startAll([&](const PartLoad &load) { return last && !load.start && load.last == last; });
    };
    for (auto [call, op] : llvm::zip_equal(fusions, places)) {
      if (op && op != last) {
        finish();
        startAll([&](const PartLoad &load) { return load.start == op; });
        for (auto [load, arrival] : llvm::zip_equal(loads, arrivals))
          if (load.first == op)
            now = std::max(now, arrival);
        last = op;
      }
      run(timingOf(call.fusion), call.calls);
    }
    finish();
  }
  const double iteration = now - before;
  // Those for an iteration that does not follow are waited for, too.
  for (auto [load, arrival] : llvm::zip_equal(loads, arrivals))
    if (!load.start)
      now = std::max(now, arrival);
  return now + double(trips - count) * iteration;
}

} // namespace systole
