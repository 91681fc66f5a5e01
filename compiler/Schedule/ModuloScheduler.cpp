// Iterative modulo scheduling (Rau): instructions are placed by priority; one without a free slot
// evicts others, which are placed again.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/ModuloScheduler.h"

#include "compiler/Schedule/ListScheduler.h"
#include "compiler/Schedule/LiveCounts.h"
#include "compiler/Schedule/ModuloPlacement.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace systole::machine {
namespace {

// Placements per instruction before an interval is given up.
constexpr int kBudgetRatio = 6;
// The number of intervals that are tried, from the minimum on.
constexpr int kMaxTries = 24;

int32_t ceilDiv(int32_t a, int32_t b) { return (a + b - 1) / b; }

/// A register of the body: its definition and uses, over iterations.
struct Value {
  uint32_t def;
  RegClass cls;
  struct Use {
    uint32_t inst;
    int32_t distance;
  };
  std::vector<Use> uses;
};

class Modulo {
public:
  Modulo(const Function &f, const Node &loop, std::span<const InstId> insts,
         const DependenceGraph &graph, const Limits &limits, const ModuloOptions &options,
         std::vector<RegisterLack> &lacks)
      : f(f), loop(loop), insts(insts), graph(graph), limits(limits), options(options),
        lacks(lacks), count(graph.count), resources(f, insts, graph, limits) {
    incoming.resize(count);
    for (uint32_t e = 0; e < graph.edges.size(); ++e)
      incoming[graph.edges[e].to].push_back(e);
    collectValues();
    findUsesOfResults();
  }

  std::optional<ModuloSchedule> run() {
    int32_t least = recurrenceII(std::max(options.leastII, resourceII(f, insts, graph, limits)));
    int tries = 0;
    for (ii = least; ii < options.limitII && tries < kMaxTries;
         ii += std::max({1, least / 64, (ii - least) / 4}), ++tries) {
      if (!computeHeights())
        continue;
      for (bool isStaggered : {false, true}) {
        size_t before = lacks.size();
        if (isStaggered && !(options.mayStagger && stagger()))
          break;
        bool isPlaced = place();
        auto result = isPlaced ? finishPlacement() : std::nullopt;
        release.clear();
        if (result)
          return result;
        if (isPlaced && lacks.size() == before)
          break;
      }
    }
    return std::nullopt;
  }

private:
  isa::Opcode opcode(uint32_t i) const { return f.insts[insts[i]].opcode; }

  void collectValues() {
    llvm::DenseMap<RegId, uint32_t> valueOf;
    for (uint32_t i = 0; i < count; ++i)
      for (const Operand &o : f.ops(insts[i]).first(size_t(f.resultCount(insts[i])))) {
        valueOf[o.regId()] = uint32_t(values.size());
        values.push_back({i, f.regs[o.regId()].cls, {}});
      }
    // A loop-carried register is its source's value of an earlier iteration.
    llvm::DenseMap<RegId, std::pair<uint32_t, int32_t>> carried;
    for (const Carried &c : loop.carried) {
      Operand next = c.next;
      int32_t distance = 1;
      while (!valueOf.contains(next.regId())) {
        auto it = std::find_if(loop.carried.begin(), loop.carried.end(),
                               [&](const Carried &o) { return o.phi == next.regId(); });
        assert(it != loop.carried.end() && "a loop-carried value comes from the body");
        next = it->next;
        ++distance;
        assert(distance <= int32_t(loop.carried.size()) && "values that rotate have no source");
      }
      carried[c.phi] = {valueOf[next.regId()], distance};
      leastUnroll = std::max(leastUnroll, distance);
    }
    for (uint32_t i = 0; i < count; ++i) {
      auto ops = f.ops(insts[i]);
      for (const Operand &o : ops.subspan(size_t(f.resultCount(insts[i])))) {
        if (!o.isReg())
          continue;
        if (auto it = valueOf.find(o.regId()); it != valueOf.end())
          values[it->second].uses.push_back({i, 0});
        else if (auto c = carried.find(o.regId()); c != carried.end())
          values[c->second.first].uses.push_back({i, c->second.second});
      }
    }
  }

  /// Parts of the body that share no vectors start evenly over the interval, not all at once: fewer
  /// of their values are live together. Those with products have their order anyway. False if there
  /// is nothing to do.
  bool stagger() {
    llvm::IntEqClasses parts(count);
    for (const Value &v : values)
      if (v.cls != RegClass::S)
        for (const Value::Use &use : v.uses)
          if (use.distance == 0)
            parts.join(v.def, use.inst);
    for (const FifoEntry &entry : graph.fifo)
      parts.join(entry.push, entry.pop);
    parts.compress();
    std::vector<bool> isMoved(parts.getNumClasses(), false);
    for (uint32_t i = 0; i < count; ++i)
      isMoved[parts[i]] = isMoved[parts[i]] || traits(opcode(i)).isMemory();
    for (uint32_t i = 0; i < count; ++i)
      if (queueOf(f, insts[i]) >= kMxuFifos)
        isMoved[parts[i]] = false;
    // Classes are numbered in the order of their first instructions.
    std::vector<int32_t> start(parts.getNumClasses(), 0);
    auto moved = int32_t(std::count(isMoved.begin(), isMoved.end(), true)), number = 0;
    if (moved < 2)
      return false;
    for (size_t part = 0; part < isMoved.size(); ++part)
      if (isMoved[part])
        start[part] = int32_t(int64_t(number++) * ii / moved);
    // Within a part each instruction is as late as those that need it allow.
    std::vector<int32_t> early(count, 0), late(count, INT32_MAX), first(start.size(), INT32_MAX);
    auto forEachInside = [&](uint32_t i, auto visit) {
      for (const Dependence &d : graph.from(i))
        if (d.distance == 0 && parts[d.to] == parts[i])
          visit(d);
    };
    for (uint32_t i = 0; i < count; ++i)
      forEachInside(i, [&](const Dependence &d) {
        early[d.to] = std::max(early[d.to], early[i] + d.latency);
      });
    for (uint32_t i = count; i-- > 0;) {
      forEachInside(
          i, [&](const Dependence &d) { late[i] = std::min(late[i], late[d.to] - d.latency); });
      late[i] = late[i] == INT32_MAX ? early[i] : late[i];
      first[parts[i]] = std::min(first[parts[i]], late[i]);
    }
    release.assign(count, 0);
    for (uint32_t i = 0; i < count; ++i)
      if (isMoved[parts[i]])
        release[i] = start[parts[i]] + late[i] - first[parts[i]];
    return true;
  }

  /// Instructions that depend on a unit's result in the same iteration.
  void findUsesOfResults() {
    usesResult.assign(count, false);
    for (uint32_t i = 0; i < count; ++i)
      for (const Dependence &d : graph.from(i))
        if (d.distance == 0 && d.to > i && (resources.isPop(i) || usesResult[i]) &&
            !resources.isPop(d.to))
          usesResult[d.to] = true;
  }

  /// The smallest interval, from `least` on, that satisfies all recurrences, or the limit.
  int32_t recurrenceII(int32_t least) {
    int32_t high = options.limitII;
    while (least < high) {
      ii = least + (high - least) / 2;
      if (computeHeights())
        high = ii;
      else
        least = ii + 1;
    }
    return least;
  }

  /// The longest path from each instruction to the end of an iteration at this interval; false if a
  /// recurrence does not fit.
  bool computeHeights() {
    heights.assign(count, 0);
    // The next instruction of each path. If these lead around a cycle, that is a recurrence whose
    // path grows for ever.
    std::vector<uint32_t> next(count, kNone);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = count; i-- > 0;) {
        for (const Dependence &e : graph.from(i)) {
          int32_t h = heights[e.to] + e.latency - ii * e.distance;
          if (h > heights[i]) {
            heights[i] = h;
            next[i] = e.to;
            changed = true;
          }
        }
      }
      if (changed && hasCycle(next))
        return false;
    }
    return true;
  }

  /// Whether following `next` from some instruction leads back to it.
  static bool hasCycle(const std::vector<uint32_t> &next) {
    std::vector<uint32_t> walk(next.size(), kNone); // the first one of the walk that came by
    for (uint32_t first = 0; first < next.size(); ++first) {
      uint32_t i = first;
      for (; i != kNone && walk[i] == kNone; i = next[i])
        walk[i] = first;
      if (i != kNone && walk[i] == first)
        return true;
    }
    return false;
  }

  //===--------------------------------------------------------------------===//
  // Placement
  //===--------------------------------------------------------------------===//

  bool place() {
    placement.emplace(resources, ii);
    lastTime.assign(count, kUnplaced);
    // Highest first; ties keep program order.
    order.resize(count);
    for (uint32_t i = 0; i < count; ++i)
      order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return heights[a] > heights[b]; });
    rank.resize(count);
    for (uint32_t k = 0; k < count; ++k)
      rank[order[k]] = k;
    nextRank = 0;
    int64_t budget = int64_t(kBudgetRatio) * count;
    for (;;) {
      while (nextRank < count && placement->isPlaced(order[nextRank]))
        ++nextRank;
      if (nextRank == count)
        return true;
      if (budget-- == 0)
        return false;
      placeOne(order[nextRank]);
    }
  }

  int32_t earliest(uint32_t i) const {
    int32_t start = release.empty() ? 0 : release[i];
    for (uint32_t e : incoming[i]) {
      const Dependence &d = graph.edges[e];
      if (placement->isPlaced(d.from) && d.from != i)
        start = std::max(start, placement->time(d.from) + d.latency - ii * d.distance);
    }
    return start;
  }

  void placeOne(uint32_t i) {
    int32_t first = earliest(i), chosen = placement->firstFit(i, first, first + ii);
    if (chosen == first + ii) {
      chosen = lastTime[i] == kUnplaced ? first : std::max(first, lastTime[i] + 1);
      // Those of the lowest priority first, since a FIFO needs only some of its pushes to leave.
      for (uint32_t k = count; k-- > 0;)
        if (order[k] != i && placement->isPlaced(order[k]) &&
            placement->competes(i, chosen, order[k]))
          unplace(order[k]);
    }
    lastTime[i] = chosen;
    placement->issue(i, chosen);
    // Successors that now issue too early are evicted.
    for (const Dependence &d : graph.from(i))
      if (d.to != i && placement->isPlaced(d.to) &&
          placement->time(d.to) < chosen + d.latency - ii * d.distance)
        unplace(d.to);
  }

  void unplace(uint32_t i) {
    if (!placement->isPlaced(i))
      return;
    // Pops follow the order of pushes, which is now undetermined.
    for (uint32_t e : resources.entriesOfPush[i])
      unplace(graph.fifo[e].pop);
    placement->withdraw(i);
    nextRank = std::min(nextRank, rank[i]);
  }

  /// The variant of a placement with the earliest end for which registers suffice.
  std::optional<ModuloSchedule> finishPlacement() {
    sinkAll();
    ModuloPlacement sunk = *placement;
    moveEarlier();
    sinkAll();
    ModuloPlacement hastened = *placement;
    sink(/*withResults=*/true);
    auto result = accept();
    for (ModuloPlacement *other : {&hastened, &sunk}) {
      if (result)
        break;
      placement = std::move(*other);
      result = accept();
    }
    return result;
  }

  /// The instructions by their times, those of one cycle in program order: a counting sort.
  std::vector<uint32_t> byTime(bool latestFirst) const {
    int32_t last = 0;
    for (uint32_t i = 0; i < count; ++i)
      last = std::max(last, placement->time(i));
    auto cycle = [&](uint32_t i) {
      return size_t(latestFirst ? last - placement->time(i) : placement->time(i));
    };
    std::vector<uint32_t> place(size_t(last) + 2, 0), result(count);
    for (uint32_t i = 0; i < count; ++i)
      ++place[cycle(i) + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (uint32_t i = 0; i < count; ++i)
      result[place[cycle(i)]++] = i;
    return result;
  }

  void sinkAll() {
    for (int round = 0; round < options.mostSinks && sink(/*withResults=*/false); ++round)
      ;
  }

  /// Moves instructions without a reason to wait to the earliest free cycle: they were placed when
  /// others were in the way.
  void moveEarlier() {
    for (uint32_t i : byTime(/*latestFirst=*/false)) {
      if (resources.isPush(i))
        continue; // pops keep the order of pushes
      int32_t last = placement->time(i);
      placement->withdraw(i);
      int32_t time = earliest(i);
      assert(time <= last && "a placement keeps all dependences");
      placement->issue(i, placement->firstFit(i, time, last));
    }
  }

  /// Sinks instructions to shorten live ranges, but not beyond the iteration's end. Pushes are
  /// fixed, since they determine when results arrive; without `withResults` so are instructions
  /// that depend on them. Returns whether any moved.
  bool sink(bool withResults) {
    bool moved = false;
    int32_t end = endOfIteration();
    for (uint32_t i : byTime(/*latestFirst=*/true)) {
      if (resources.isPush(i) || (!withResults && (resources.isPop(i) || usesResult[i])))
        continue;
      int32_t latest = INT32_MAX, first = placement->time(i);
      for (const Dependence &d : graph.from(i))
        if (d.to != i)
          latest = std::min(latest, placement->time(d.to) - d.latency + ii * d.distance);
      if (latest == INT32_MAX || latest <= first)
        continue;
      placement->withdraw(i);
      int32_t time = std::min({latest, end - settleCycles(limits, opcode(i)), first + 4 * ii});
      time = placement->lastFit(i, time, first);
      moved |= time != first;
      placement->issue(i, time);
    }
    return moved;
  }

  int32_t endOfIteration() const {
    int32_t end = 0;
    for (uint32_t i = 0; i < count; ++i)
      end = std::max(end, placement->time(i) + settleCycles(limits, opcode(i)));
    return end;
  }

  //===--------------------------------------------------------------------===//
  // What the schedule needs
  //===--------------------------------------------------------------------===//

  /// The schedule of the placement, or nullopt if it exceeds registers or FIFOs.
  std::optional<ModuloSchedule> accept() {
    std::vector<int32_t> times(count);
    for (uint32_t i = 0; i < count; ++i)
      times[i] = placement->time(i);
    assert(std::all_of(graph.edges.begin(), graph.edges.end(),
                       [&](const Dependence &e) {
                         return times[e.to] + ii * e.distance - times[e.from] >= e.latency;
                       }) &&
           "every dependence has its latency");
    assert(placement->popsInOrder() && "pops leave every FIFO in the order of pushes");
    if (!placement->fifosHold())
      return std::nullopt;
    ModuloSchedule result;
    result.end = endOfIteration();
    int32_t start = *std::min_element(times.begin(), times.end());
    start -= start % ii;
    for (int32_t &t : times)
      t -= start;
    result.end -= start;
    result.ii = ii;
    result.unroll = leastUnroll;
    std::vector<LiveCounts> live(kRegClasses, LiveCounts(ii));
    for (const Value &v : values) {
      int32_t begin = times[v.def];
      int32_t end = begin + settleCycles(limits, opcode(v.def));
      for (const Value::Use &u : v.uses) {
        end = std::max(end, times[u.inst] + u.distance * ii);
        // In one cycle instructions are listed in program order, where a reader must not be behind
        // the instruction that writes the next value of that name.
        if (u.inst > v.def && times[u.inst] == begin)
          result.unroll = std::max(result.unroll, u.distance + 1);
      }
      result.unroll = std::max(result.unroll, ceilDiv(end - begin, ii));
      live[size_t(v.cls)].add(begin, end);
    }
    if (result.unroll * ii > options.maxKernel && result.unroll > 1)
      return std::nullopt;
    RegisterLack lack{ii, {}};
    for (int c = 0; c < kRegClasses; ++c) {
      result.registers[c] = live[size_t(c)].most();
      lack.registers[c] = std::max(result.registers[c] - options.budget[c], 0);
    }
    if (lack.registers != decltype(lack.registers){}) {
      lacks.push_back(lack);
      return std::nullopt;
    }
    int32_t last = *std::max_element(times.begin(), times.end());
    result.stages = last / ii + 1;
    assert(result.unroll >= leastUnroll && result.end > last && "an iteration ends after it began");
    result.times = times;
    return result;
  }

  const Function &f;
  const Node &loop;
  std::span<const InstId> insts;
  const DependenceGraph &graph;
  const Limits &limits;
  const ModuloOptions &options;
  std::vector<RegisterLack> &lacks;
  uint32_t count;
  LoopResources resources;
  int32_t ii = 0;
  int32_t leastUnroll = 1;
  std::vector<std::vector<uint32_t>> incoming;
  std::vector<bool> usesResult;
  std::vector<Value> values;
  std::vector<int32_t> heights, lastTime;
  std::vector<int32_t> release; // the first cycle of each instruction, if any are staggered
  std::vector<uint32_t> order, rank;
  uint32_t nextRank = 0;
  std::optional<ModuloPlacement> placement;
};

} // namespace

int32_t resourceII(const Function &f, std::span<const InstId> insts, const DependenceGraph &graph,
                   const Limits &limits) {
  std::array<int32_t, isa::kSlotKinds> slots{};
  std::array<int32_t, kBusyUnits> busy{};
  std::array<int32_t, kQueues> inFlight{};
  int32_t sequencers = 0;
  for (InstId i : insts) {
    const isa::InstInfo &info = isa::info(f.insts[i].opcode);
    ++slots[size_t(info.slot)];
    sequencers += info.sequencer;
    if (int unit = busyUnitOf(f, i); unit >= 0)
      busy[size_t(unit)] += intervalOf(limits, f.insts[i].opcode);
  }
  for (const FifoEntry &e : graph.fifo)
    inFlight[size_t(e.queue)] += latencyOf(limits, f.insts[insts[e.push]].opcode);
  int32_t least = std::max(1, sequencers);
  for (int s = 0; s < isa::kSlotKinds; ++s)
    least = std::max(least, ceilDiv(slots[size_t(s)], int32_t(limits.bundle.slots[size_t(s)])));
  for (int32_t b : busy)
    least = std::max(least, b);
  for (int q = 0; q < kQueues; ++q)
    if (queueDepth(limits, q) > 0)
      least = std::max(least, ceilDiv(inFlight[size_t(q)], queueDepth(limits, q)));
  return least;
}

std::optional<ModuloSchedule> moduloSchedule(const Function &f, const Node &loop,
                                             std::span<const InstId> insts,
                                             const DependenceGraph &graph, const Limits &limits,
                                             const ModuloOptions &options,
                                             std::vector<RegisterLack> &lacks) {
  if (insts.empty())
    return std::nullopt;
  assert(graph.count == insts.size() && "the graph of these instructions");
  return Modulo(f, loop, insts, graph, limits, options, lacks).run();
}

} // namespace systole::machine
