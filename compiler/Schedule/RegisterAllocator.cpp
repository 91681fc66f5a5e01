// Linear-scan register allocation over live ranges with holes.
// See docs/decisions/register-allocation-and-code-budgets.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/RegisterAllocator.h"

#include "compiler/Schedule/ListScheduler.h"
#include "compiler/Schedule/Liveness.h"
#include "compiler/Schedule/MachineBuilder.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

namespace systole::machine {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

/// [start, end) in positions: cycles in the layout order of the function. Two registers may
/// share a machine register if one ends where the other starts, since a bundle reads before it
/// writes.
struct Segment {
  uint32_t start, end;
  RegId reg;
};

class Allocator {
public:
  Allocator(Function &f, const Limits &limits)
      : f(f), limits(limits), flow(buildFlow(f)), live(f, flow), cost(f.regs.size(), 0),
        assigned(f.regs.size(), -1), hint(f.regs.size(), kNone) {}

  Allocation run() {
    buildSegments();
    groupSegments();
    std::vector<RegId> order;
    for (RegId r = 0; r < f.regs.size(); ++r) {
      if (r == kAllOnes || first[r] == first[r + 1])
        continue;
      if (f.regs[r].fixed)
        occupy(r, f.regs[r].phys);
      else
        order.push_back(r);
    }
    std::sort(order.begin(), order.end(), [&](RegId a, RegId b) {
      uint32_t x = segments[first[a]].start, y = segments[first[b]].start;
      return x != y ? x < y : a < b;
    });
    for (RegId r : order)
      place(r);
    Allocation result;
    result.complete = failedRegs.empty();
    if (result.complete) {
      assert(std::all_of(order.begin(), order.end(), [&](RegId r) { return assigned[r] >= 0; }) &&
             "every live register has a machine register");
      for (RegId r = 0; r < f.regs.size(); ++r)
        if (!f.regs[r].fixed)
          f.regs[r].phys = int8_t(assigned[r]);
    } else {
      report(result.failure);
    }
    return result;
  }

private:
  //===--------------------------------------------------------------------===//
  // Live ranges
  //===--------------------------------------------------------------------===//

  void buildSegments() {
    std::vector<uint32_t> end(f.regs.size(), 0); // of the current range, walking backwards
    uint32_t next = 1;
    for (const FlowBlock &b : flow) {
      bases.push_back(next);
      next += lengthOf(b);
    }
    for (uint32_t b = 0; b < flow.size(); ++b) {
      const Node &node = f.nodes[flow[b].node];
      bool block = node.kind == Node::Kind::Block;
      uint32_t base = bases[b], length = lengthOf(flow[b]);
      float weight = 1;
      for (int d = 0; d < flow[b].depth; ++d)
        weight *= kLoopWeight;
      const auto &globals = live.globalRegs();
      for (int g : live.liveOutSet(b).set_bits())
        end[globals[g]] = base + length;
      if (block) {
        walkBlock(b, weight, end);
      } else {
        auto use = [&](RegId r) {
          cost[r] += weight;
          if (end[r] == 0)
            end[r] = base;
        };
        forEachAccess(f, node, use, [](RegId) {});
      }
      for (int g : live.liveInSet(b).set_bits()) {
        RegId r = globals[g];
        if (end[r] > base)
          segments.push_back({base, end[r], r});
        end[r] = 0;
      }
    }
  }

  uint32_t lengthOf(const FlowBlock &b) const {
    const Node &node = f.nodes[b.node];
    return node.kind == Node::Kind::Block ? uint32_t(std::max(node.length, 1)) : 1;
  }

  /// A result arrives in `r` this many cycles after the end of a block: control takes none.
  void arrivesAfter(uint32_t b, RegId r, uint32_t cycles) {
    for (uint32_t s : flow[b].successors) {
      uint32_t passed = 0;
      if (f.nodes[flow[s].node].kind == Node::Kind::Block) {
        passed = std::min(cycles, lengthOf(flow[s]));
        segments.push_back({bases[s], bases[s] + passed, r});
      }
      if (passed < cycles)
        arrivesAfter(s, r, cycles - passed);
    }
  }

  void walkBlock(uint32_t b, float weight, std::vector<uint32_t> &end) {
    const Node &node = f.nodes[flow[b].node];
    uint32_t base = bases[b], blockEnd = base + lengthOf(flow[b]);
    assert((node.scheduled || node.insts.empty()) && "registers are assigned to scheduled blocks");
    assert(node.cycles.size() == node.insts.size() && "a cycle for each instruction");
    assert(std::is_sorted(node.cycles.begin(), node.cycles.end()) && "instructions by cycle");
    for (size_t k = node.insts.size(); k > 0;) {
      size_t begin = k - 1;
      while (begin > 0 && node.cycles[begin - 1] == node.cycles[k - 1])
        --begin;
      uint32_t now = base + uint32_t(node.cycles[begin]);
      for (size_t j = begin; j < k; ++j) {
        InstId i = node.insts[j];
        for (const Operand &o : f.ops(i).first(size_t(f.resultCount(i)))) {
          RegId r = o.regId();
          cost[r] += weight;
          // The result is written even if it is unused.
          uint32_t until =
              std::max(end[r], now + uint32_t(settleCycles(limits, f.insts[i].opcode)));
          segments.push_back({now, std::min(until, blockEnd), r});
          if (until > blockEnd)
            arrivesAfter(b, r, until - blockEnd);
          end[r] = 0;
        }
        if (isCopy(f, i) && f.ops(i)[1].isReg())
          noteHint(f.ops(i)[0].regId(), f.ops(i)[1].regId());
      }
      for (size_t j = begin; j < k; ++j) {
        InstId i = node.insts[j];
        for (const Operand &o : f.ops(i).subspan(size_t(f.resultCount(i)))) {
          if (!o.isReg() || o.regId() == kAllOnes)
            continue;
          cost[o.regId()] += weight;
          if (end[o.regId()] == 0)
            end[o.regId()] = now;
        }
      }
      k = begin;
    }
  }

  void noteHint(RegId a, RegId b) {
    if (hint[a] == kNone)
      hint[a] = b;
    if (hint[b] == kNone)
      hint[b] = a;
  }

  /// Sorts segments by register and start, and merges adjacent ones.
  void groupSegments() {
    std::vector<uint32_t> counts(f.regs.size() + 1, 0);
    for (const Segment &s : segments)
      ++counts[s.reg + 1];
    for (size_t r = 1; r < counts.size(); ++r)
      counts[r] += counts[r - 1];
    std::vector<Segment> sorted(segments.size());
    std::vector<uint32_t> next(counts.begin(), counts.end() - 1);
    for (const Segment &s : segments)
      sorted[next[s.reg]++] = s;
    segments.clear();
    first.assign(f.regs.size() + 1, 0);
    for (RegId r = 0; r < f.regs.size(); ++r) {
      first[r] = uint32_t(segments.size());
      auto begin = sorted.begin() + counts[r], end = sorted.begin() + counts[r + 1];
      if (end - begin > 1)
        std::sort(begin, end, [](auto &a, auto &b) { return a.start < b.start; });
      for (auto it = begin; it != end; ++it) {
        if (segments.size() > first[r] && segments.back().end >= it->start)
          segments.back().end = std::max(segments.back().end, it->end);
        else
          segments.push_back(*it);
      }
    }
    first[f.regs.size()] = uint32_t(segments.size());
    assert(std::all_of(segments.begin(), segments.end(),
                       [](const Segment &s) { return s.start < s.end; }) &&
           "a live range ends after its start");
  }

  std::span<const Segment> range(RegId r) const {
    return {segments.data() + first[r], first[r + 1] - first[r]};
  }

  //===--------------------------------------------------------------------===//
  // Assignment
  //===--------------------------------------------------------------------===//

  std::vector<Segment> &occupied(RegClass cls, int phys) {
    assert(phys >= 0 && phys < registerCount(cls) && "the class has no such machine register");
    return taken[int(cls)][size_t(phys)];
  }

  void occupy(RegId r, int phys) {
    assert(assigned[r] < 0 && "the register has a machine register already");
    assert(fits(r, phys) && "the machine register holds another value at the same time");
    assigned[r] = int8_t(phys);
    auto &list = occupied(f.regs[r].cls, phys);
    for (const Segment &s : range(r)) {
      if (list.empty() || list.back().start <= s.start)
        list.push_back(s);
      else
        list.insert(std::upper_bound(list.begin(), list.end(), s.start,
                                     [](uint32_t v, const Segment &x) { return v < x.start; }),
                    s);
    }
  }

  void release(RegId r) {
    assert(assigned[r] >= 0 && !f.regs[r].fixed && "only what was assigned can be evicted");
    auto &list = occupied(f.regs[r].cls, assigned[r]);
    std::erase_if(list, [&](const Segment &s) { return s.reg == r; });
    assigned[r] = -1;
  }

  /// Calls `fn` for registers assigned to `phys` that overlap `r`, until it returns false.
  template <typename Fn> bool forEachConflict(RegId r, int phys, Fn &&fn) {
    auto &list = occupied(f.regs[r].cls, phys);
    if (list.empty())
      return true;
    for (const Segment &s : range(r)) {
      if (list.back().end <= s.start)
        continue;
      auto it = std::lower_bound(list.begin(), list.end(), s.end,
                                 [](const Segment &x, uint32_t v) { return x.start < v; });
      while (it != list.begin()) {
        --it;
        // Segments of one machine register are disjoint, so ends ascend, too.
        if (it->end <= s.start)
          break;
        if (!fn(it->reg))
          return false;
      }
    }
    return true;
  }
  bool fits(RegId r, int phys) {
    return forEachConflict(r, phys, [](RegId) { return false; });
  }

  float weight(RegId r) const {
    const RegInfo &info = f.regs[r];
    if (info.fixed || info.temporary || info.loop != kNone)
      return kInfinite;
    uint32_t length = 1;
    for (const Segment &s : range(r))
      length += s.end - s.start;
    return cost[r] / float(length);
  }

  void place(RegId r) {
    RegClass cls = f.regs[r].cls;
    int begin = cls == RegClass::M ? 1 : 0, end = registerCount(cls);
    if (hint[r] != kNone && f.regs[hint[r]].cls == cls) {
      int phys = assigned[hint[r]];
      if (phys >= begin && fits(r, phys))
        return occupy(r, phys);
    }
    for (int phys = begin; phys < end; ++phys)
      if (fits(r, phys))
        return occupy(r, phys);
    // Out of registers: choose the cheapest candidate to spill.
    int best = -1;
    float bestWeight = weight(r);
    for (int phys = begin; phys < end; ++phys) {
      float sum = 0;
      RegId last = kNone;
      forEachConflict(r, phys, [&](RegId other) {
        if (other != last)
          sum += weight(other);
        last = other;
        return sum < bestWeight;
      });
      if (sum < bestWeight) {
        bestWeight = sum;
        best = phys;
      }
    }
    if (best < 0) {
      failedRegs.push_back(r);
      if (weight(r) == kInfinite)
        requestFewerRegisters(r, begin, end);
      return;
    }
    std::vector<RegId> evicted;
    forEachConflict(r, best, [&](RegId other) {
      evicted.push_back(other);
      return true;
    });
    std::sort(evicted.begin(), evicted.end());
    evicted.erase(std::unique(evicted.begin(), evicted.end()), evicted.end());
    for (RegId other : evicted) {
      release(other);
      failedRegs.push_back(other);
    }
    occupy(r, best);
  }

  /// No value that overlaps `r` can be spilled: enclosing pipelined loops must use fewer registers.
  void requestFewerRegisters(RegId r, int begin, int end) {
    auto note = [&](RegId x) {
      if (f.regs[x].loop != kNone)
        loops.push_back({f.regs[x].loop, f.regs[x].cls});
      return true;
    };
    note(r);
    for (int phys = begin; phys < end; ++phys)
      forEachConflict(r, phys, note);
  }

  void report(AllocationFailure &failure) {
    for (RegId r : failedRegs)
      if (weight(r) != kInfinite)
        failure.spill.push_back(f.regs[r].origin);
    failure.loops = std::move(loops);
    auto makeUnique = [](auto &list) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    makeUnique(failure.spill);
    makeUnique(failure.loops);
  }

  Function &f;
  const Limits &limits;
  std::vector<FlowBlock> flow;
  Liveness live;
  std::vector<uint32_t> bases; // positions of the flow blocks
  std::vector<Segment> segments;
  std::vector<uint32_t> first; // by RegId, into segments
  std::vector<float> cost;
  std::vector<int8_t> assigned;
  std::vector<RegId> hint;
  std::array<std::array<std::vector<Segment>, isa::kScalarRegisters>, kRegClasses> taken;
  std::vector<RegId> failedRegs;
  std::vector<LoopPressure> loops;
};

} // namespace

Allocation allocateRegisters(Function &f, const Limits &limits) {
  return Allocator(f, limits).run();
}

void removeIdentityCopies(Function &f) {
  auto same = [&](InstId i) {
    if (!isCopy(f, i) || !f.ops(i)[1].isReg())
      return false;
    const RegInfo &a = f.regs[f.ops(i)[0].regId()], &b = f.regs[f.ops(i)[1].regId()];
    return a.cls == b.cls && a.phys == b.phys;
  };
  forEachNode(f, f.body, [&](NodeId n) {
    Node &node = f.nodes[n];
    size_t kept = 0;
    for (size_t k = 0; k < node.insts.size(); ++k) {
      if (same(node.insts[k]))
        continue;
      node.insts[kept] = node.insts[k];
      node.cycles[kept] = node.cycles[k];
      ++kept;
    }
    if (node.kind == Node::Kind::Block) {
      node.insts.resize(kept);
      node.cycles.resize(kept);
    }
  });
}

} // namespace systole::machine
