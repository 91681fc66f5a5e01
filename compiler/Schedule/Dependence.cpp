// Dependences within a block: registers, memory, fences, units.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Dependence.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace systole::machine {

// The limit on pairwise comparisons of memory accesses, which bounds the time for huge blocks, for
// each access that a bundle issues: further accesses are ordered by one that conflicts with all.
constexpr size_t kMaxComparedPerSlot = 96;

DependenceBuilder::DependenceBuilder(const DependenceContext &context)
    : c(context), lastDef(context.f.regs.size(), kNone), firstUse(context.f.regs.size(), kNone),
      copies(context.module, context.f, context.alias) {}

void DependenceBuilder::edge(uint32_t from, uint32_t to, int latency, int distance) {
  assert(from < g.count && to < g.count && "instructions of the block");
  assert(distance >= 0 && (distance > 0 || from < to) && "dependences point to later instructions");
  g.edges.push_back({from, to, latency, distance});
}

void DependenceBuilder::start(std::span<const InstId> list, bool isIndependent) {
  insts = list;
  independent = isIndependent;
  g = DependenceGraph();
  g.count = uint32_t(list.size());
  // Registers may have been added since the last block.
  lastDef.resize(c.f.regs.size(), kNone);
  firstUse.resize(c.f.regs.size(), kNone);
}

DependenceGraph DependenceBuilder::block(std::span<const InstId> list, bool isIndependent) {
  start(list, isIndependent);
  registers();
  memoryAndBarriers();
  units(/*carried=*/false);
  return finish();
}

DependenceGraph DependenceBuilder::filling(std::span<const InstId> list) {
  start(list, /*isIndependent=*/false);
  registers();
  memoryAndBarriers();
  units(/*carried=*/false, /*isFilling=*/true);
  keepOrderOfResults();
  return finish();
}

void DependenceBuilder::memoryAndBarriers() {
  for (uint32_t i = 0; i < g.count; ++i) {
    const OpTraits &t = traits(c.f.insts[insts[i]].opcode);
    if (t.isMemory())
      memory(i);
    else if (t.barrier)
      barrier(i);
  }
}

void DependenceBuilder::keepOrderOfResults() {
  std::array<uint32_t, kQueues> lastPush, lastPop;
  lastPush.fill(kNone);
  lastPop.fill(kNone);
  for (uint32_t i = 0; i < g.count; ++i) {
    int q = queueOf(c.f, insts[i]);
    if (q < 0)
      continue;
    bool isPop = traits(c.f.insts[insts[i]].opcode).pop;
    if (!isPop && pushCount(c.f, insts[i]) == 0)
      continue;
    uint32_t &last = (isPop ? lastPop : lastPush)[size_t(q)];
    if (last != kNone)
      edge(last, i, isPop ? 1 : intervalOf(c.limits, c.f.insts[insts[last]].opcode));
    last = i;
  }
}

void DependenceBuilder::registers() {
  for (uint32_t i = 0; i < g.count; ++i) {
    auto ops = c.f.ops(insts[i]);
    int results = c.f.resultCount(insts[i]);
    for (size_t k = size_t(results); k < ops.size(); ++k) {
      if (!ops[k].isReg() || ops[k].regId() == kAllOnes)
        continue;
      RegId r = ops[k].regId();
      uint32_t d = lastDef[r];
      if (d != kNone)
        edge(d, i, latencyOf(c.limits, c.f.insts[insts[d]].opcode));
      touched.push_back(r);
      useList.push_back({i, firstUse[r]});
      firstUse[r] = uint32_t(useList.size() - 1);
    }
    for (int k = 0; k < results; ++k) {
      RegId r = ops[k].regId();
      // A register is read at issue and written when the result is ready.
      for (uint32_t u = firstUse[r]; u != kNone; u = useList[u].next)
        if (useList[u].inst != i)
          edge(useList[u].inst, i, 0);
      firstUse[r] = kNone;
      if (lastDef[r] != kNone)
        edge(lastDef[r], i, latencyOf(c.limits, c.f.insts[insts[lastDef[r]]].opcode));
      lastDef[r] = i;
      touched.push_back(r);
    }
  }
  for (RegId r : touched)
    lastDef[r] = firstUse[r] = kNone;
  touched.clear();
  useList.clear();
}

int DependenceBuilder::memoryLatency(uint32_t from, uint32_t to) const {
  bool fromStore = traits(c.f.insts[insts[from]].opcode).isStore();
  bool toStore = traits(c.f.insts[insts[to]].opcode).isStore();
  if (fromStore && !toStore)
    return latencyOf(c.limits, c.f.insts[insts[from]].opcode);
  return 1;
}

bool DependenceBuilder::conflict(uint32_t a, uint32_t b) const {
  assert(std::max(insts[a], insts[b]) < c.accesses.size() && "accesses that were described");
  const MemoryAccess &x = c.accesses[insts[a]], &y = c.accesses[insts[b]];
  if (x.order.isApartFrom(y.order) || !c.alias.mayOverlap(x, y))
    return false;
  if (!independent && !(x.order.independent && x.order.sharesLoopWith(y.order)))
    return true;
  // The loop guarantees that different addresses do not alias. Equal ones may be in different
  // registers (ShareAddresses.h).
  return x.pack != y.pack || x.address.hasTermsOf(y.address);
}

void DependenceBuilder::memory(uint32_t i) {
  const MemoryAccess &access = c.accesses[insts[i]];
  if (lastFence != kNone)
    edge(lastFence, i, memoryLatency(lastFence, i));
  // A DMA may access its whole regions until it is waited for; here only its order matters.
  for (uint32_t d : copiesAndWaits)
    if (copies.touches(insts[d], access))
      edge(d, i, 1);
  bool store = access.store;
  Group *own = nullptr;
  for (auto &[region, group] : groups) {
    if (region == access.region)
      own = &group;
    else if (!c.alias.regionsOverlap(region, access.region))
      continue;
    for (uint32_t s : group.stores)
      if (conflict(s, i))
        edge(s, i, memoryLatency(s, i));
    if (store)
      for (uint32_t l : group.loads)
        if (conflict(l, i))
          edge(l, i, 1);
  }
  if (!own)
    own = &groups.emplace_back(access.region, Group()).second;
  const size_t slots =
      c.limits.bundle.count(isa::Slot::Load) + c.limits.bundle.count(isa::Slot::Store);
  if (own->loads.size() + own->stores.size() >= kMaxComparedPerSlot * slots)
    return fence(i); // this access is now ordered after all previous ones
  (store ? own->stores : own->loads).push_back(i);
  memoryOps.push_back(i);
}

void DependenceBuilder::barrier(uint32_t i) {
  if (copies.isCopy(insts[i]) || copies.isWait(insts[i]))
    copyOrWait(i);
  else
    fence(i);
}

/// Copies and waits keep their order, since a wait delays all copies behind it. Memory accesses
/// keep theirs relative to copies that concern the same memory, and to waits for these.
void DependenceBuilder::copyOrWait(uint32_t i) {
  if (lastFence != kNone)
    edge(lastFence, i, memoryLatency(lastFence, i));
  if (!copiesAndWaits.empty())
    edge(copiesAndWaits.back(), i, 1);
  for (uint32_t m : memoryOps)
    if (copies.touches(insts[i], c.accesses[insts[m]]))
      edge(m, i, memoryLatency(m, i));
  copiesAndWaits.push_back(i);
}

/// Flags and traps keep their order relative to copies and waits; no memory access moves across
/// them.
void DependenceBuilder::fence(uint32_t i) {
  if (lastFence != kNone)
    edge(lastFence, i, memoryLatency(lastFence, i));
  for (uint32_t m : memoryOps)
    edge(m, i, memoryLatency(m, i));
  for (uint32_t d : copiesAndWaits)
    edge(d, i, 1);
  memoryOps.clear();
  copiesAndWaits.clear();
  groups.clear();
  lastFence = i;
}

void DependenceBuilder::units(bool carried, bool isFilling, bool evenLatencies) {
  // FIFO entries in program order: the k-th pop takes the k-th result. The function verifier has
  // checked that every block pops exactly the results that it pushes.
  std::array<std::vector<uint32_t>, kQueues> waiting; // entries by queue
  std::array<size_t, kQueues> taken{};
  std::array<int, kQueues> longest{};
  if (evenLatencies)
    for (InstId i : insts)
      if (int q = queueOf(c.f, i); q >= 0 && pushCount(c.f, i) > 0)
        longest[q] = std::max(longest[q], latencyOf(c.limits, c.f.insts[i].opcode));
  for (uint32_t i = 0; i < g.count; ++i) {
    int q = queueOf(c.f, insts[i]);
    if (q < 0)
      continue;
    const OpTraits &t = traits(c.f.insts[insts[i]].opcode);
    if (!t.pop) {
      int n = pushCount(c.f, insts[i]);
      for (int k = 0; k < n; ++k) {
        waiting[q].push_back(uint32_t(g.fifo.size()));
        g.fifo.push_back({i, kNone, int8_t(q), int8_t(k)});
      }
    } else {
      assert(taken[q] < waiting[q].size() && "a pop takes a result that was pushed");
      FifoEntry &entry = g.fifo[waiting[q][taken[q]++]];
      entry.pop = i;
      edge(entry.push, i,
           std::max(longest[q], latencyOf(c.limits, c.f.insts[insts[entry.push]].opcode)));
    }
  }
  // The pushes of a transposed block are consecutive. Reordering pushes could also deadlock if a
  // pop depends on more than its push.
  std::array<bool, kQueues> ordered{};
  std::vector<uint32_t> pushOf(g.count, kNone);
  auto isLeft = [](const FifoEntry &entry) { return entry.pop == kNone; };
  assert((isFilling || std::none_of(g.fifo.begin(), g.fifo.end(), isLeft)) &&
         "every result is popped in its block");
  for (const FifoEntry &entry : g.fifo)
    if (!isLeft(entry))
      pushOf[entry.pop] = entry.push;
  for (const Dependence &e : g.edges)
    if (pushOf[e.to] != kNone && e.from != pushOf[e.to] && e.distance == 0)
      ordered[queueOf(c.f, insts[e.to])] = true;
  for (InstId i : insts)
    if (traits(c.f.insts[i].opcode).transposePart)
      ordered[queueOf(c.f, i)] = true;

  // Order within a unit. Results of the XLU, EUP and V2S may be requested in any order as long as
  // pops follow it; an MXU has state, which restricts the order.
  struct Last {
    uint32_t push = kNone, latch = kNone, swap = kNone;
    uint32_t firstPush = kNone, firstLatch = kNone, firstSwap = kNone;
  };
  std::array<Last, kQueues> last;
  auto lat = [&](uint32_t i) { return latencyOf(c.limits, c.f.insts[insts[i]].opcode); };
  auto gap = [&](uint32_t i) { return intervalOf(c.limits, c.f.insts[insts[i]].opcode); };
  for (uint32_t i = 0; i < g.count; ++i) {
    int q = queueOf(c.f, insts[i]);
    if (q < 0)
      continue;
    Last &l = last[q];
    bool mxu = q >= 3;
    if (traits(c.f.insts[insts[i]].opcode).pop)
      continue; // ordered by its push
    if (!mxu) {
      if (ordered[q]) {
        if (l.push != kNone)
          edge(l.push, i, gap(l.push));
        else
          l.firstPush = i;
        l.push = i;
      }
      continue;
    }
    auto order = [&](uint32_t from, int latency) {
      if (from != kNone)
        edge(from, i, latency);
    };
    auto note = [&](uint32_t &lastOne, uint32_t &firstOne) {
      lastOne = i;
      if (firstOne == kNone)
        firstOne = i;
    };
    switch (isa::info(c.f.insts[insts[i]].opcode).latency) {
    case isa::LatencyClass::mxu_latch:
      order(l.latch, l.latch == kNone ? 0 : gap(l.latch));
      order(l.swap, l.swap == kNone ? 0 : gap(l.swap));
      note(l.latch, l.firstLatch);
      break;
    case isa::LatencyClass::mxu_swap:
      order(l.latch, l.latch == kNone ? 0 : lat(l.latch));
      order(l.swap, l.swap == kNone ? 0 : std::max(lat(l.swap), gap(l.swap)));
      order(l.push, 1);
      note(l.swap, l.firstSwap);
      break;
    default:
      order(l.push, l.push == kNone ? 0 : gap(l.push));
      order(l.swap, l.swap == kNone ? 0 : lat(l.swap));
      note(l.push, l.firstPush);
      break;
    }
  }
  if (!carried)
    return;
  for (Last &l : last) {
    auto back = [&](uint32_t from, uint32_t to, auto &&latency) {
      if (from != kNone && to != kNone)
        edge(from, to, latency(from), 1);
    };
    auto one = [](uint32_t) { return 1; };
    back(l.latch, l.firstLatch, gap);
    back(l.push, l.firstPush, gap);
    back(l.swap, l.firstSwap, [&](uint32_t i) { return std::max(lat(i), gap(i)); });
    back(l.latch, l.firstSwap, lat);
    back(l.swap, l.firstLatch, gap);
    back(l.swap, l.firstPush, lat);
    back(l.push, l.firstSwap, one);
  }
}

DependenceGraph DependenceBuilder::finish() {
  memoryOps.clear();
  groups.clear();
  copiesAndWaits.clear();
  lastFence = kNone;
  // Counting sort by `from`.
  g.firstEdge.assign(g.count + 1, 0);
  for (const Dependence &e : g.edges)
    ++g.firstEdge[e.from + 1];
  for (uint32_t i = 0; i < g.count; ++i)
    g.firstEdge[i + 1] += g.firstEdge[i];
  std::vector<uint32_t> next(g.firstEdge.begin(), g.firstEdge.end() - 1);
  std::vector<Dependence> sorted(g.edges.size());
  for (const Dependence &e : g.edges)
    sorted[next[e.from]++] = e;
  g.edges = std::move(sorted);
  return std::move(g);
}

} // namespace systole::machine
