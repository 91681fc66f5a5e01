// The cost of work on a machine.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/MachineModel.h"

#include "dialects/Layout/MachineShape.h"
#include "dialects/Machine/Target/Target.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>

namespace systole {

using isa::LatencyClass;
using isa::Slot;

int64_t indexWords(int64_t smemWords) {
  constexpr int64_t share = 4;
  return llvm::bit_floor(uint64_t(std::max<int64_t>(smemWords / share, 1)));
}

Work &Work::operator+=(const Work &other) {
  scalar += other.scalar;
  vector += other.vector;
  load += other.load;
  store += other.store;
  push += other.push;
  pop += other.pop;
  xlu += other.xlu;
  eup += other.eup;
  mxuPush += other.mxuPush;
  mxuLatch += other.mxuLatch;
  chain += other.chain;
  return *this;
}

Work Work::operator*(double copies) const {
  Work work = *this;
  for (double *count : {&work.scalar, &work.vector, &work.load, &work.store, &work.push, &work.pop,
                        &work.xlu, &work.eup, &work.mxuPush, &work.mxuLatch})
    *count *= copies;
  return work;
}

Arithmetic Arithmetic::operator+(const Arithmetic &other) const {
  return {valu + other.valu, multiply + other.multiply, convert + other.convert, eup + other.eup,
          eupLong + other.eupLong};
}

MachineModel::MachineModel(const Target &target, const CodeBudget &budget)
    : mxuShape(mxuShapeOf(target, budget)),
      queueDepth(int64_t(target.description().dma_queue_depth().value())),
      indexCount(indexWords(target.smemWords())),
      vmem((target.vmemRows() - budget.spillRows) * kRowBytes),
      scalarCycles(target.latency(LatencyClass::scalar)),
      scalarMultiplyCycles(target.latency(LatencyClass::scalar_mul)),
      smemLoadCycles(target.latency(LatencyClass::smem_load)),
      controlCycles(target.latency(LatencyClass::control)),
      dmaStartInterval(target.interval(LatencyClass::dma_issue)),
      hbmRate(target.hbmBytesPerCycle()),
      localRate(target.description().vmem_copy_bytes_per_cycle().value()),
      hostRate(target.hostBytesPerCycle()),
      dmaStart(target.description().dma_latency_cycles().value()),
      hostLatency(target.description().host_latency_cycles().value()),
      minChunk(target.description().dma_min_chunk_bytes().value()) {
  auto of = [&](LatencyClass cls) {
    return Latency{double(target.latency(cls)), double(target.interval(cls))};
  };
  valu = of(LatencyClass::valu);
  multiply = of(LatencyClass::valu_mul);
  convert = of(LatencyClass::valu_convert);
  eup = of(LatencyClass::eup);
  eupLong = of(LatencyClass::eup_long);
  vload = of(LatencyClass::vload);
  transposes = of(LatencyClass::xlu_transpose);
  mxuLatch = of(LatencyClass::mxu_latch);
  mxuSwap = of(LatencyClass::mxu_swap);
  mxuPush = of(LatencyClass::mxu_push);
  crossLanes = {of(LatencyClass::xlu_rotate), of(LatencyClass::xlu_gather),
                of(LatencyClass::xlu_reduce)};
  for (Slot slot : {Slot::Scalar, Slot::Vector, Slot::Load, Slot::Store, Slot::Push, Slot::Pop})
    slots[size_t(slot)] = target.bundleFormat().count(slot);
}

Work MachineModel::arithmetic(const Arithmetic &all, const Arithmetic &chain) const {
  Work work;
  work.vector = all.vector();
  work.push = work.pop = all.eup + all.eupLong;
  work.eup = all.eup * eup.interval + all.eupLong * eupLong.interval;
  // A pop has the latency of arithmetic.
  int pops = chain.eup + chain.eupLong;
  work.chain = (chain.valu + pops) * valu.cycles + chain.multiply * multiply.cycles +
               chain.convert * convert.cycles + chain.eup * eup.cycles +
               chain.eupLong * eupLong.cycles;
  return work;
}

Work MachineModel::load() const {
  Work work;
  work.load = 1;
  work.chain = vload.cycles;
  return work;
}

Work MachineModel::store() const {
  Work work;
  work.store = 1;
  work.chain = 1;
  return work;
}

Work MachineModel::crossLane(CrossLane what) const {
  const Latency &unit = crossLanes[size_t(what)];
  Work work;
  work.push = work.pop = 1;
  work.xlu = unit.interval;
  work.chain = unit.cycles + valu.cycles;
  return work;
}

Work MachineModel::transpose(int64_t pushes, int64_t pops) const {
  Work work;
  work.push = pushes;
  work.pop = pops;
  work.xlu = double(pushes) * transposes.interval;
  work.chain = work.xlu + transposes.cycles + pops;
  return work;
}

double MachineModel::issue(const Work &work) const {
  auto bundles = [&](double instructions, Slot slot) {
    return std::ceil(instructions / slots[size_t(slot)]);
  };
  return std::max({1.0, bundles(work.scalar, Slot::Scalar), bundles(work.vector, Slot::Vector),
                   bundles(work.load, Slot::Load), bundles(work.store, Slot::Store),
                   bundles(work.push, Slot::Push), bundles(work.pop, Slot::Pop),
                   std::ceil(work.xlu), std::ceil(work.eup), std::ceil(work.mxuPush),
                   std::ceil(work.mxuLatch)});
}

double MachineModel::once(const Work &work) const {
  // Instructions of the chain are not ready before it begins or ends, so both add up in part: the
  // first result comes after the chain, the last one when all others have issued.
  return work.chain + issue(work) - 1;
}

double MachineModel::pipeline(const Work &iteration, double trips, double recurrence) const {
  if (trips <= 0)
    return 0;
  double apart = std::max(issue(iteration), recurrence);
  return (trips - 1) * apart + once(iteration);
}

double MachineModel::registerBound(const Work &iteration, int bodyInstructions) const {
  // Prices, measured on arithmetic of f64: the longest body that slots bound, and how many more
  // instructions double the distance.
  constexpr int longest = 300;
  constexpr double doubling = 1500;
  return issue(iteration) * (1 + std::max(0, bodyInstructions - longest) / doubling);
}

double MachineModel::latchFill(double latches) const {
  return latches * mxuLatch.interval + mxuSwap.cycles;
}

double MachineModel::pushDrain() const { return mxuPush.cycles + valu.cycles; }

double MachineModel::productStep(double groups, double latches, double results) const {
  // Latches of the next weights follow the swap to the present ones.
  double latch = latches * mxuLatch.interval + mxuSwap.interval;
  // As many pushes as the FIFO has room for are under way for a latency.
  double room = mxuPush.cycles / double(mxuShape.pushesInFlight(int64_t(results)));
  double push = groups * std::max(mxuPush.interval, room);
  return std::max(latch, push);
}

double MachineModel::channel(double bytes, double chunks) const {
  return std::ceil(std::max(bytes, minChunk) * chunks / hbmRate);
}

double MachineModel::hostCopy(double bytes) const {
  return dmaStart + std::ceil(bytes / hostRate) + hostLatency;
}

double MachineModel::localChannel(double bytes, double chunks) const {
  return std::ceil(std::max(bytes, minChunk) * chunks / localRate);
}

double MachineModel::scalar(double instructions, double chained) const {
  return std::max(std::ceil(instructions / slots[size_t(Slot::Scalar)]), chained * scalarCycles);
}

double MachineModel::vectorCycles(const Work &work) const {
  return work.vector / slots[size_t(Slot::Vector)];
}

} // namespace systole
