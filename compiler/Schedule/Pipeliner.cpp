// Expands modulo schedules.
//
// Iteration i of the loop starts at cycle i * ii of a linear time line without stalls. The
// prologue is the time line up to where the pipeline is full, the kernel the next `unroll`
// intervals, repeated, and the epilogue the rest. Value v of iteration i has name v.(i mod
// unroll).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Pipeliner.h"

#include "compiler/Diagnostics/Debug.h"
#include "compiler/Schedule/ListScheduler.h"
#include "compiler/Schedule/MachineBuilder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <cassert>

#define DEBUG_TYPE "systole-pipeliner"

namespace systole::machine {
namespace {

constexpr size_t kMaxBody = 2048;

class Expansion {
public:
  Expansion(Function &f, const Limits &limits, NodeId loopId, const ModuloSchedule &schedule)
      : f(f), limits(limits), loopId(loopId), s(schedule), loop(f.nodes[loopId]),
        insts(f.nodes[loop.body[0]].insts), trips(loop.operand.value) {}

  /// Copies before and after the loop, and the nodes that replace it.
  std::vector<InstId> before, after;
  std::vector<NodeId> nodes;
  std::vector<IterationCopy> copies;

  void run() {
    assert(s.times.size() == insts.size() && "a time for each instruction");
    name();
    initialCopies();
    int32_t full = s.stages - 1; // iterations that the prologue starts
    int32_t passes = std::max(0, (trips - full) / s.unroll);
    if (passes <= 1) {
      // The kernel would not repeat.
      emitInterval(0, INT32_MAX, trips);
    } else {
      int32_t kernelBegin = full * s.ii, kernelLength = s.unroll * s.ii;
      if (full > 0)
        f.nodes[emitInterval(0, kernelBegin, full)].fillsPipeline = true;
      // The first execution represents all.
      NodeId kernel =
          emitInterval(kernelBegin, kernelBegin + kernelLength, full + s.unroll, /*repeats=*/true);
      nodes.pop_back();
      NodeId repeat = f.newNode(Node::Kind::Loop);
      f.nodes[repeat].operand = Operand::imm(passes);
      f.nodes[repeat].body = {kernel};
      f.nodes[repeat].loc = loop.loc;
      nodes.push_back(repeat);
      emitInterval(kernelBegin + passes * kernelLength, INT32_MAX, trips);
    }
    assert(countIssued() == int64_t(trips) * int64_t(insts.size()) &&
           "prologue, kernel and epilogue are all iterations");
    resultCopies();
  }

private:
  struct Source {
    Operand init, next;
  };

  /// Instructions that the nodes in the loop's place issue.
  int64_t countIssued() const {
    int64_t count = 0;
    for (NodeId n : nodes)
      count += f.nodes[n].kind == Node::Kind::Loop
                   ? f.nodes[n].operand.value * int64_t(f.nodes[f.nodes[n].body[0]].insts.size())
                   : int64_t(f.nodes[n].insts.size());
    return count;
  }

  void name() {
    for (const Carried &c : loop.carried)
      carried[c.phi] = {c.init, c.next};
    for (InstId i : insts)
      for (const Operand &o : f.ops(i).first(size_t(f.resultCount(i)))) {
        auto &list = names[o.regId()];
        for (int32_t k = 0; k < s.unroll; ++k) {
          list.push_back(f.cloneReg(o.regId()));
          f.regs[list.back()].loop = loopId;
          f.regs[list.back()].temporary = false;
        }
      }
    variants.assign(insts.size() * size_t(s.unroll), kNone);
  }

  /// The value of a body's register in iteration i >= 0: a name, an operand from before the loop,
  /// or itself if it is invariant.
  Operand resolve(Operand o, int64_t i) const {
    while (o.isReg()) {
      if (auto it = names.find(o.regId()); it != names.end())
        return Operand::reg(it->second[size_t(i % s.unroll)]);
      auto c = carried.find(o.regId());
      if (c == carried.end())
        return o;
      if (i == 0)
        return c->second.init;
      o = c->second.next;
      --i;
    }
    return o;
  }

  /// The name of a loop-carried register in iterations i (mod unroll).
  Operand steady(RegId phi, int32_t i) const {
    Operand o = Operand::reg(phi);
    int64_t j = i + int64_t(s.unroll) * int64_t(loop.carried.size() + 1);
    Operand read = resolve(o, j);
    assert(read.isReg() && !carried.contains(read.regId()) && "a value that the body computes");
    return read;
  }

  /// Instruction j of the kernel for iterations that have names like `iteration`.
  InstId variant(size_t j, int64_t iteration) {
    InstId &made = variants[j * size_t(s.unroll) + size_t(iteration % s.unroll)];
    if (made == kNone) {
      made = instance(j, iteration);
      copies.back().iteration = kAnyIteration;
    }
    return made;
  }

  /// Instruction j of one iteration.
  InstId instance(size_t j, int64_t iteration) {
    int32_t k = int32_t(iteration % s.unroll);
    InstId made = f.newInst(f.insts[insts[j]].opcode, f.ops(insts[j]), f.insts[insts[j]].loc);
    copies.push_back({made, insts[j], loopId, iteration});
    for (Operand &o : f.ops(made)) {
      if (!o.isReg())
        continue;
      if (names.contains(o.regId()))
        o = Operand::reg(names.find(o.regId())->second[size_t(k)]);
      else if (carried.contains(o.regId()))
        o = steady(o.regId(), k);
    }
    return made;
  }

  /// The first iterations read initial values under the names that earlier iterations would have
  /// written.
  void initialCopies() {
    llvm::DenseMap<RegId, bool> seen;
    for (const Carried &c : loop.carried) {
      Operand o = Operand::reg(c.phi);
      for (int32_t i = 0;; ++i) {
        Operand value = resolve(o, i);
        Operand place = steady(c.phi, i % s.unroll);
        if (value == place)
          break; // an iteration's own value from here on
        if (seen.try_emplace(place.regId(), true).second)
          before.push_back(makeCopy(f, place.regId(), value, loop.loc));
      }
    }
  }

  void resultCopies() {
    for (const Carried &c : loop.carried)
      if (c.result != kNone)
        after.push_back(makeCopy(f, c.result, resolve(Operand::reg(c.phi), trips), loop.loc));
  }

  /// A block of the instructions that issue in [begin, end) of the time line, in iterations below
  /// `limit`.
  NodeId emitInterval(int32_t begin, int32_t end, int32_t limit, bool repeats = false) {
    struct Item {
      int32_t cycle;
      uint32_t inst;
      InstId id;
    };
    assert(begin >= 0 && begin < end && "a window of the time line");
    std::vector<Item> items;
    // Only iterations with instructions at or after `begin`.
    int64_t first = std::max<int64_t>(0, (begin - s.end) / s.ii - 1);
    int32_t length = end == INT32_MAX ? 0 : end - begin;
    for (int64_t i = first; i < limit; ++i) {
      for (size_t j = 0; j < insts.size(); ++j) {
        int64_t t = i * s.ii + s.times[j];
        if (end == INT32_MAX)
          length = int32_t(std::max<int64_t>(
              length, t + settleCycles(limits, f.insts[insts[j]].opcode) - begin));
        if (t >= begin && t < end)
          items.push_back(
              {int32_t(t - begin), uint32_t(j), repeats ? variant(j, i) : instance(j, i)});
      }
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const Item &a, const Item &b) { return a.cycle < b.cycle; });
    NodeId id = f.newNode(Node::Kind::Block);
    Node &block = f.nodes[id];
    block.pipelined = true;
    block.scheduled = true;
    block.length = length;
    block.loc = loop.loc;
    for (const Item &item : items) {
      block.insts.push_back(item.id);
      block.cycles.push_back(item.cycle);
    }
    nodes.push_back(id);
    return id;
  }

  Function &f;
  const Limits &limits;
  NodeId loopId;
  const ModuloSchedule &s;
  Node loop; // copied, since new nodes may move existing ones
  std::vector<InstId> insts;
  int32_t trips;
  llvm::DenseMap<RegId, std::vector<RegId>> names;
  llvm::DenseMap<RegId, Source> carried;
  std::vector<InstId> variants; // by instruction and name
};

class Expander {
public:
  Expander(Function &f, const Limits &limits,
           const std::vector<std::pair<NodeId, ModuloSchedule>> &loops)
      : f(f), limits(limits) {
    for (const auto &[loop, schedule] : loops)
      schedules[loop] = &schedule;
  }

  std::vector<IterationCopy> copies;

  std::vector<NodeId> list(std::vector<NodeId> nodes) {
    std::vector<NodeId> out;
    std::vector<InstId> pending; // for the next block
    auto flush = [&] {
      if (pending.empty())
        return;
      out.push_back(f.newNode(Node::Kind::Block));
      f.nodes[out.back()].insts = std::move(pending);
      pending.clear();
    };
    for (NodeId n : nodes) {
      if (f.nodes[n].kind == Node::Kind::Block) {
        auto &insts = f.nodes[n].insts;
        insts.insert(insts.begin(), pending.begin(), pending.end());
        pending.clear();
        out.push_back(n);
        continue;
      }
      auto it = schedules.find(n);
      if (it == schedules.end()) {
        flush();
        std::vector<NodeId> body = list(f.nodes[n].body);
        f.nodes[n].body = std::move(body);
        std::vector<NodeId> orElse = list(f.nodes[n].orElse);
        f.nodes[n].orElse = std::move(orElse);
        out.push_back(n);
        continue;
      }
      Expansion expansion(f, limits, n, *it->second);
      expansion.run();
      copies.insert(copies.end(), expansion.copies.begin(), expansion.copies.end());
      // Copies before the loop are appended to the preceding block, or to the pending ones.
      pending.insert(pending.end(), expansion.before.begin(), expansion.before.end());
      if (!out.empty() && f.nodes[out.back()].kind == Node::Kind::Block &&
          !f.nodes[out.back()].scheduled) {
        auto &insts = f.nodes[out.back()].insts;
        insts.insert(insts.end(), pending.begin(), pending.end());
        pending.clear();
      }
      flush();
      out.insert(out.end(), expansion.nodes.begin(), expansion.nodes.end());
      pending = std::move(expansion.after);
    }
    flush();
    return out;
  }

private:
  Function &f;
  const Limits &limits;
  llvm::DenseMap<NodeId, const ModuloSchedule *> schedules;
};

} // namespace

bool isPipelineCandidate(const Function &f, NodeId n) {
  const Node &loop = f.nodes[n];
  if (loop.kind != Node::Kind::Loop || loop.plain || loop.body.size() != 1 ||
      f.nodes[loop.body[0]].kind != Node::Kind::Block || !loop.operand.isImm() ||
      loop.operand.value < 2)
    return false;
  const std::vector<InstId> &insts = f.nodes[loop.body[0]].insts;
  if (insts.size() > kMaxBody)
    return false;
  // Loop-carried values are defined in the body, possibly some iterations ago.
  llvm::SmallDenseSet<RegId, 16> own;
  for (const Carried &c : loop.carried)
    own.insert(c.phi);
  for (InstId i : insts)
    for (const Operand &o : f.ops(i).first(size_t(f.resultCount(i))))
      own.insert(o.regId());
  return std::all_of(loop.carried.begin(), loop.carried.end(), [&](const Carried &c) {
    return c.next.isReg() && own.contains(c.next.regId());
  });
}

int64_t countInnermostLoops(const Function &f) {
  int64_t count = 0;
  forEachNode(f, f.body, [&](NodeId n) {
    bool isLoop = f.nodes[n].kind == Node::Kind::Loop, holdsOne = false;
    if (isLoop)
      forEachNode(f, f.nodes[n].body,
                  [&](NodeId inner) { holdsOne |= f.nodes[inner].kind == Node::Kind::Loop; });
    count += isLoop && !holdsOne;
  });
  return count;
}

/// Whether results of one FIFO take different times.
static bool hasMixedLatencies(const Function &f, std::span<const InstId> insts,
                              const Limits &limits) {
  std::array<int, kQueues> latencies{};
  for (InstId i : insts) {
    int queue = queueOf(f, i);
    if (queue < 0 || pushCount(f, i) == 0)
      continue;
    int latency = latencyOf(limits, f.insts[i].opcode);
    if (latencies[size_t(queue)] && latencies[size_t(queue)] != latency)
      return true;
    latencies[size_t(queue)] = latency;
  }
  return false;
}

PipelineResult pipelineSchedule(const Function &f, NodeId n, DependenceBuilder &builder,
                                const Limits &limits, const ModuloOptions &options) {
  assert(isPipelineCandidate(f, n) && "a loop that can be pipelined");
  const Node &loop = f.nodes[n];
  const std::vector<InstId> &insts = f.nodes[loop.body[0]].insts;
  PipelineResult result;
  auto refuse = [&]([[maybe_unused]] const char *why) {
    LLVM_DEBUG(llvm::dbgs() << "@" << f.name << ": loop of " << insts.size()
                            << " instructions: not pipelined, " << why << "\n");
    result.schedule.reset();
    return result;
  };
  auto graph = builder.loop(insts, loop);
  if (!graph)
    return refuse("iterations cannot overlap");
  DependenceGraph once = builder.block(insts, loop.independent);
  result.plainLength = listSchedule(f, insts, once, limits, {}).length;
  ModuloOptions bounded = options;
  bounded.limitII = std::min(options.limitII, result.plainLength);
  auto &schedule = result.schedule;
  schedule = moduloSchedule(f, loop, insts, *graph, limits, bounded, result.lacks);
  const int64_t trips = loop.operand.value;
  auto cycles = [&](const ModuloSchedule &of) { return (trips - 1) * of.ii + of.end; };
  if (hasMixedLatencies(f, insts, limits) &&
      (!schedule || schedule->ii > resourceII(f, insts, *graph, limits))) {
    auto even = builder.loop(insts, loop, /*evenLatencies=*/true);
    bounded.limitII = schedule ? schedule->ii : bounded.limitII;
    auto other = moduloSchedule(f, loop, insts, *even, limits, bounded, result.lacks);
    if (other && (!schedule || cycles(*other) < cycles(*schedule)))
      schedule = std::move(other);
  }
  if (!schedule)
    return refuse("no initiation interval below the length of an iteration");
  if (cycles(*schedule) >= trips * int64_t(result.plainLength))
    return refuse("too few iterations");
  LLVM_DEBUG(llvm::dbgs() << "@" << f.name << ": loop of " << insts.size()
                          << " instructions: initiation interval " << schedule->ii
                          << ", least by resources " << resourceII(f, insts, *graph, limits)
                          << ", iteration " << result.plainLength << " cycles, " << schedule->stages
                          << " stages, unrolled " << schedule->unroll << " times\n");
  return result;
}

std::vector<IterationCopy>
expandPipelines(Function &f, const Limits &limits,
                const std::vector<std::pair<NodeId, ModuloSchedule>> &loops) {
  Expander expander(f, limits, loops);
  f.body = expander.list(f.body);
  assert(std::all_of(loops.begin(), loops.end(),
                     [&](auto &loop) {
                       bool found = false;
                       forEachNode(f, f.body, [&](NodeId n) { found |= n == loop.first; });
                       return !found;
                     }) &&
         "every pipelined loop is expanded");
  return std::move(expander.copies);
}

} // namespace systole::machine
