// Merges two scheduled blocks of which one follows the other, such that they overlap.
//
// The instructions of the first block keep their cycles. Those of a block that fills a pipeline
// are placed from its end backwards, at the cycles that its kernel expects or a little earlier,
// for the least length that leaves room for all of them. Those of other blocks are placed forwards.
// Both keep their order wherever it matters: registers, memory, barriers, FIFOs and units.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/BlockMerger.h"

#include "compiler/Schedule/ListScheduler.h"
#include "compiler/Schedule/Reservation.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cassert>

namespace systole::machine {
namespace {

constexpr int32_t kAnyTime = INT32_MIN;

/// The order that registers, memory, barriers and units demand of instructions behind those that
/// were added, whose cycles are known.
class Order {
public:
  /// Where a pipeline drains, a wait may issue before a copy that it does not wait for: such a copy
  /// may wait for the pipeline's last results.
  Order(const DependenceContext &c, const CopyRegions &copies, bool isDraining)
      : c(c), copies(copies), isDraining(isDraining) {
    idle.fill(kAnyTime);
  }

  /// The first cycle in which an instruction may issue.
  int32_t earliest(InstId i) const {
    int32_t earliest = kAnyTime;
    auto after = [&](int32_t time) { earliest = std::max(earliest, time); };
    auto ops = c.f.ops(i);
    size_t results = size_t(c.f.resultCount(i));
    for (size_t k = 0; k < ops.size(); ++k) {
      if (!ops[k].isReg())
        continue;
      auto it = registers.find(ops[k].regId());
      if (it == registers.end())
        continue;
      after(it->second.read);
      if (k < results)
        after(it->second.write);
    }
    if (int q = queueOf(c.f, i); q >= 0) {
      const Unit &u = units[size_t(q)];
      switch (use(i)) {
      case Use::Pop:
        after(u.pop);
        break;
      case Use::Latch:
        after(u.latch);
        break;
      case Use::Swap:
        after(u.swap);
        break;
      case Use::Push:
        after(u.push);
      }
    }
    if (int unit = busyUnitOf(c.f, i); unit >= 0)
      after(idle[size_t(unit)]);
    const OpTraits &t = traits(c.f.insts[i].opcode);
    if (t.isMemory())
      afterMemory(c.accesses[i], after);
    else if (t.barrier)
      afterBarriers(i, after);
    return earliest;
  }

  void add(InstId i, int32_t time) {
    auto raise = [](int32_t &t, int32_t to) { t = std::max(t, to); };
    auto ops = c.f.ops(i);
    size_t results = size_t(c.f.resultCount(i));
    int32_t latency = latencyOf(c.limits, c.f.insts[i].opcode);
    int32_t interval = intervalOf(c.limits, c.f.insts[i].opcode);
    for (size_t k = 0; k < ops.size(); ++k) {
      if (!ops[k].isReg() || ops[k].regId() == kAllOnes)
        continue;
      Register &r = registers[ops[k].regId()];
      raise(k < results ? r.read : r.write, k < results ? time + latency : time);
    }
    if (int q = queueOf(c.f, i); q >= 0) {
      Unit &u = units[size_t(q)];
      switch (use(i)) {
      case Use::Pop:
        raise(u.pop, time + 1);
        break;
      case Use::Latch:
        raise(u.latch, time + interval);
        raise(u.swap, time + latency);
        break;
      case Use::Swap:
        raise(u.latch, time + interval);
        raise(u.swap, time + std::max(latency, interval));
        raise(u.push, time + latency);
        break;
      case Use::Push:
        raise(u.push, time + interval);
        raise(u.swap, time + 1);
      }
    }
    if (int unit = busyUnitOf(c.f, i); unit >= 0)
      raise(idle[size_t(unit)], time + interval);
    const OpTraits &t = traits(c.f.insts[i].opcode);
    if (t.isMemory())
      accesses.push_back({i, time});
    else if (isCopyOrWait(i))
      copiesAndWaits.push_back({i, time});
    else if (t.barrier)
      raise(fence, time + 1);
  }

private:
  /// The first cycles in which a register may be read, and written.
  struct Register {
    int32_t read = kAnyTime, write = kAnyTime;
  };
  /// The first cycles of uses of a unit with a FIFO.
  struct Unit {
    int32_t push = kAnyTime, pop = kAnyTime, latch = kAnyTime, swap = kAnyTime;
  };
  enum class Use { Push, Pop, Latch, Swap };
  struct Issue {
    InstId inst;
    int32_t time;
  };

  Use use(InstId i) const {
    if (traits(c.f.insts[i].opcode).pop)
      return Use::Pop;
    isa::LatencyClass cls = isa::info(c.f.insts[i].opcode).latency;
    return cls == isa::LatencyClass::mxu_latch  ? Use::Latch
           : cls == isa::LatencyClass::mxu_swap ? Use::Swap
                                                : Use::Push;
  }
  bool isCopyOrWait(InstId i) const { return copies.isCopy(i) || copies.isWait(i); }
  /// Cycles until another access may see or replace what one reads or writes.
  int32_t distance(InstId i, bool toStore) const {
    return c.accesses[i].store && !toStore ? latencyOf(c.limits, c.f.insts[i].opcode) : 1;
  }

  template <typename After> void afterMemory(const MemoryAccess &access, After &&after) const {
    after(fence);
    for (const Issue &d : copiesAndWaits)
      if (copies.touches(d.inst, access))
        after(d.time + 1);
    for (const Issue &a : accesses)
      if ((c.accesses[a.inst].store || access.store) &&
          c.alias.mayOverlap(c.accesses[a.inst], access))
        after(a.time + distance(a.inst, access.store));
  }
  template <typename After> void afterBarriers(InstId i, After &&after) const {
    after(fence);
    bool isFence = !isCopyOrWait(i);
    for (const Issue &a : accesses)
      if (isFence || copies.touches(i, c.accesses[a.inst]))
        after(a.time + distance(a.inst, /*toStore=*/false));
    for (const Issue &d : copiesAndWaits)
      if (isFence || !isDraining || copies.isCopy(i) || !copies.isCopy(d.inst) ||
          copies.flagOf(d.inst) == copies.flagOf(i))
        after(d.time + 1);
  }

  const DependenceContext &c;
  const CopyRegions &copies;
  bool isDraining;
  llvm::DenseMap<RegId, Register> registers;
  std::array<Unit, kQueues> units{};
  std::array<int32_t, kBusyUnits> idle;
  std::vector<Issue> accesses, copiesAndWaits;
  int32_t fence = kAnyTime;
};

class Merger {
public:
  Merger(const DependenceContext &c, DependenceBuilder &builder, const MergeRequest &request)
      : c(c), r(request), x(request.second.insts), cycles(request.second.cycles),
        copies(builder.copyRegions()), graph(builder.filling(x)), times(x.size(), 0),
        table(capacity(c, request), c.limits.bundle) {
    for (InstId i : x)
      uses.push_back(resourceUse(c.f, i, c.limits));
  }

  std::optional<Node> run() {
    Order order(c, copies, /*isDraining=*/r.drained != nullptr);
    if (r.drained)
      for (size_t k = 0; k < r.drained->insts.size(); ++k)
        order.add(r.drained->insts[k], r.drained->cycles[k] - r.drained->length);
    for (size_t k = 0; k < r.first.insts.size(); ++k) {
      order.add(r.first.insts[k], r.first.cycles[k]);
      table.add(resourceUse(c.f, r.first.insts[k], c.limits), r.first.cycles[k]);
    }
    for (InstId i : x)
      lowest.push_back(std::max(order.earliest(i), 0));
    int32_t sum = r.first.length + r.second.length;
    if (r.fillsPipeline) {
      for (int32_t end = leastEnd(); end < sum; ++end)
        if (placeBackwards(end)) {
          if (fifosHold())
            return node(end);
          withdraw(0);
        }
      return std::nullopt;
    }
    int32_t end = placeForwards(sum);
    if (end >= sum || !fifosHold())
      return std::nullopt;
    return node(end);
  }

private:
  static int32_t capacity(const DependenceContext &c, const MergeRequest &r) {
    int32_t longest = 1;
    for (const auto &latency : c.limits.latencies)
      longest = std::max(longest, latency.interval);
    return r.first.length + r.second.length + longest;
  }

  /// The end before which no instruction would keep its distance to it.
  int32_t leastEnd() const {
    int32_t end = std::max(r.first.length, r.second.length);
    for (size_t k = 0; k < x.size(); ++k)
      if (r.fixed.contains(x[k]))
        end = std::max(end, lowest[k] + r.second.length - cycles[k]);
    return end;
  }

  /// Prefers the cycles that the block has now, counted from its end, then earlier ones.
  bool placeBackwards(int32_t end) {
    for (size_t k = x.size(); k-- > 0;) {
      int32_t now = end - (r.second.length - cycles[k]);
      int32_t latest =
          r.fixed.contains(x[k]) ? now : end - settleCycles(c.limits, c.f.insts[x[k]].opcode);
      // The block keeps its own order already.
      for (const Dependence &d : graph.from(uint32_t(k)))
        latest = std::min(latest, times[d.to] - std::min(d.latency, cycles[d.to] - cycles[k]));
      int32_t time = std::min(now, latest);
      while (time >= lowest[k] && !table.fits(uses[k], time))
        --time;
      if (time < lowest[k])
        for (time = std::max(lowest[k], now + 1); time <= latest && !table.fits(uses[k], time);)
          ++time;
      if (time > latest) {
        withdraw(k + 1);
        return false;
      }
      table.add(uses[k], time);
      times[k] = time;
    }
    return true;
  }
  void withdraw(size_t begin) {
    for (size_t k = begin; k < x.size(); ++k)
      table.remove(uses[k], times[k]);
  }

  /// The end, or `limit` if it is not before that.
  int32_t placeForwards(int32_t limit) {
    int32_t begin = std::max(0, r.first.length - r.second.length - r.lookahead);
    int32_t end = r.first.length;
    std::vector<int32_t> ready(lowest);
    for (size_t k = 0; k < x.size(); ++k) {
      int32_t time = std::max(ready[k], begin + cycles[k]);
      int32_t settled = settleCycles(c.limits, c.f.insts[x[k]].opcode);
      while (time + settled < limit && !table.fits(uses[k], time))
        ++time;
      if (time + settled >= limit)
        return limit;
      table.add(uses[k], time);
      times[k] = time;
      end = std::max(end, time + settled);
      for (const Dependence &d : graph.from(uint32_t(k)))
        ready[d.to] = std::max(ready[d.to], time + d.latency);
    }
    return end;
  }

  struct Item {
    int32_t time;
    InstId inst;
  };
  std::vector<Item> items() const {
    std::vector<Item> all;
    for (size_t k = 0; k < r.first.insts.size(); ++k)
      all.push_back({r.first.cycles[k], r.first.insts[k]});
    for (size_t k = 0; k < x.size(); ++k)
      all.push_back({times[k], x[k]});
    std::stable_sort(all.begin(), all.end(),
                     [](const Item &a, const Item &b) { return a.time < b.time; });
    return all;
  }

  /// Whether no FIFO holds more results than it has room for. The first block leaves none.
  bool fifosHold() const {
    std::array<int, kQueues> held{};
    for (InstId i : r.first.insts)
      if (int q = queueOf(c.f, i); q >= 0)
        held[size_t(q)] += traits(c.f.insts[i].opcode).pop ? 1 : -pushCount(c.f, i);
    std::vector<Item> all = items();
    for (size_t k = 0; k < all.size();) {
      size_t end = k;
      while (end < all.size() && all[end].time == all[k].time)
        ++end;
      for (bool pops : {true, false})
        for (size_t j = k; j < end; ++j) {
          int q = queueOf(c.f, all[j].inst);
          if (q < 0 || traits(c.f.insts[all[j].inst].opcode).pop != pops)
            continue;
          held[size_t(q)] += pops ? -1 : pushCount(c.f, all[j].inst);
          if (held[size_t(q)] > queueDepth(c.limits, q))
            return false;
        }
      k = end;
    }
    return true;
  }

  Node node(int32_t length) const {
    Node merged = r.first;
    merged.pipelined = r.first.pipelined || r.second.pipelined;
    merged.fillsPipeline = r.second.fillsPipeline;
    merged.length = length;
    merged.insts.clear();
    merged.cycles.clear();
    for (const Item &item : items()) {
      merged.insts.push_back(item.inst);
      merged.cycles.push_back(item.time);
    }
    return merged;
  }

  const DependenceContext &c;
  const MergeRequest &r;
  const std::vector<InstId> &x;
  const std::vector<int32_t> &cycles;
  const CopyRegions &copies;
  DependenceGraph graph;
  std::vector<ResourceUse> uses;
  std::vector<int32_t> lowest, times;
  Reservation table;
};

} // namespace

std::optional<Node> mergeBlocks(const DependenceContext &context, DependenceBuilder &builder,
                                const MergeRequest &request) {
  return Merger(context, builder, request).run();
}

} // namespace systole::machine
