// The cycles of a loop's instructions in a modulo schedule, and what they occupy.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/ModuloPlacement.h"

#include <algorithm>
#include <cassert>

namespace systole::machine {

LoopResources::LoopResources(const Function &f, std::span<const InstId> insts,
                             const DependenceGraph &graph, const Limits &limits)
    : graph(graph), limits(limits), entriesOfPush(graph.count), entryOfPop(graph.count, kNone) {
  for (InstId i : insts) {
    uses.push_back(resourceUse(f, i, limits));
    latencies.push_back(latencyOf(limits, f.insts[i].opcode));
  }
  for (uint32_t e = 0; e < graph.fifo.size(); ++e) {
    assert(entryOfPop[graph.fifo[e].pop] == kNone && "a pop takes one result");
    entriesOfPush[graph.fifo[e].push].push_back(e);
    entryOfPop[graph.fifo[e].pop] = e;
    entriesOfQueue[size_t(graph.fifo[e].queue)].push_back(e);
  }
}

ModuloPlacement::ModuloPlacement(const LoopResources &resources, int32_t ii)
    : resources(&resources), ii(ii), times(resources.graph.count, kUnplaced),
      table(ii, resources.limits.bundle), fifos(ii, resources.limits) {}

/// The cycles that the entry's result is in its FIFO: if its pop has no cycle yet, up to the
/// earliest one.
FifoInterval ModuloPlacement::interval(uint32_t entry) const {
  const FifoEntry &e = resources->graph.fifo[entry];
  assert(isPlaced(e.push) && "pops are placed after their pushes");
  int32_t earliest = times[e.push] + resources->latencies[e.push];
  return {e.queue, times[e.push], isPlaced(e.pop) ? times[e.pop] : earliest};
}

std::optional<ModuloPlacement::Demand> ModuloPlacement::demand(uint32_t i, int32_t time) const {
  if (resources->isPush(i)) {
    const auto &entries = resources->entriesOfPush[i];
    int8_t queue = resources->graph.fifo[entries.front()].queue;
    return Demand{i, {queue, time, time + resources->latencies[i]}, int32_t(entries.size())};
  }
  if (!resources->isPop(i))
    return std::nullopt;
  uint32_t entry = resources->entryOfPop[i];
  FifoInterval present = interval(entry);
  if (time <= present.until)
    return std::nullopt;
  return Demand{resources->graph.fifo[entry].push, {present.queue, present.until, time}, 1};
}

/// The cycles in which the pop of entry `a` may issue so that it and entry `b` of its FIFO, in all
/// iterations, leave the FIFO in the order in which they entered it.
ModuloPlacement::Window ModuloPlacement::windowBeside(uint32_t a, uint32_t b) const {
  const FifoEntry &x = resources->graph.fifo[a], &y = resources->graph.fifo[b];
  if (a == b || x.queue != y.queue || !isPlaced(x.push) || !isPlaced(y.push) || !isPlaced(y.pop))
    return {};
  // The last iteration, relative to a's, whose push of b comes after a's.
  int32_t apart = times[y.push] - times[x.push];
  int32_t iterations = apart > 0 ? (apart + ii - 1) / ii : -(-apart / ii);
  int32_t ahead = apart == 0 ? (x.index < y.index ? 0 : -1) : iterations - 1;
  int32_t popB = times[y.pop];
  return {popB - (ahead + 1) * ii + 1, popB - ahead * ii - 1};
}

/// The same for all entries of the FIFO that instruction `i` pops, if it is a pop.
ModuloPlacement::Window ModuloPlacement::windowInOrder(uint32_t i) const {
  Window window;
  if (!resources->isPop(i))
    return window;
  const uint32_t entry = resources->entryOfPop[i];
  for (uint32_t other : resources->entriesOfQueue[size_t(resources->graph.fifo[entry].queue)]) {
    const Window beside = windowBeside(entry, other);
    window.first = std::max(window.first, beside.first);
    window.last = std::min(window.last, beside.last);
  }
  return window;
}

bool ModuloPlacement::isFree(uint32_t i, int32_t time) const {
  if (!table.fits(resources->uses[i], time))
    return false;
  auto more = demand(i, time);
  return !more || fifos.fits(more->interval, more->results);
}

int32_t ModuloPlacement::firstFit(uint32_t i, int32_t from, int32_t end) const {
  const Window window = windowInOrder(i);
  for (int32_t time = std::max(from, window.first); time < end && time <= window.last; ++time)
    if (isFree(i, time))
      return time;
  return end;
}

int32_t ModuloPlacement::lastFit(uint32_t i, int32_t from, int32_t end) const {
  const Window window = windowInOrder(i);
  for (int32_t time = std::min(from, window.last); time > end && time >= window.first; --time)
    if (isFree(i, time))
      return time;
  return end;
}

void ModuloPlacement::issue(uint32_t i, int32_t time) {
  assert(!isPlaced(i) && "the instruction has a place already");
  uint32_t popped = resources->entryOfPop[i];
  if (popped != kNone)
    fifos.remove(interval(popped), 1);
  times[i] = time;
  table.add(resources->uses[i], time);
  if (popped != kNone)
    fifos.add(interval(popped), 1);
  for (uint32_t e : resources->entriesOfPush[i])
    fifos.add(interval(e), 1);
}

void ModuloPlacement::withdraw(uint32_t i) {
  assert(isPlaced(i) && "the instruction has a place");
  uint32_t popped = resources->entryOfPop[i];
  if (popped != kNone)
    fifos.remove(interval(popped), 1);
  for (uint32_t e : resources->entriesOfPush[i]) {
    assert(!isPlaced(resources->graph.fifo[e].pop) && "pops are withdrawn before their pushes");
    fifos.remove(interval(e), 1);
  }
  table.remove(resources->uses[i], times[i]);
  times[i] = kUnplaced;
  if (popped != kNone)
    fifos.add(interval(popped), 1);
}

bool ModuloPlacement::competes(uint32_t i, int32_t time, uint32_t j) const {
  assert(i != j && isPlaced(j) && "an instruction that has a place");
  if (table.compete(resources->uses[i], time, resources->uses[j], times[j]))
    return true;
  if (resources->isPop(i) && resources->isPop(j))
    return !windowBeside(resources->entryOfPop[i], resources->entryOfPop[j]).contains(time);
  auto more = demand(i, time);
  if (!more || j == more->push || fifos.fits(more->interval, more->results))
    return false;
  const auto &entries = resources->entriesOfPush[j];
  return std::any_of(entries.begin(), entries.end(),
                     [&](uint32_t e) { return fifos.overlap(interval(e), more->interval); });
}

bool ModuloPlacement::popsInOrder() const {
  for (uint32_t i = 0; i < times.size(); ++i)
    if (!windowInOrder(i).contains(times[i]))
      return false;
  return true;
}

} // namespace systole::machine
