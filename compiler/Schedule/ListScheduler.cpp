// List scheduling: in each cycle the ready instructions with the longest path to the block's end
// are issued first.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/ListScheduler.h"

#include <algorithm>
#include <cassert>
#include <queue>

namespace systole::machine {

bool ImmediateSet::addValue(int32_t value) {
  for (int i = 0; i < count; ++i)
    if (values[i] == value)
      return true;
  if (count == most)
    return false;
  values[count++] = value;
  return true;
}

bool ImmediateSet::add(const Function &f, InstId i) {
  int before = count;
  auto ops = f.ops(i);
  auto fields = isa::info(f.insts[i].opcode).fields;
  for (size_t k = 0; k < ops.size(); ++k) {
    if (ops[k].isImm() && takesSharedImmediate(fields[k].kind) && !addValue(ops[k].value)) {
      count = before;
      return false;
    }
  }
  return true;
}

int settleCycles(const Limits &limits, isa::Opcode opcode) {
  return std::max({1, latencyOf(limits, opcode), intervalOf(limits, opcode)});
}

namespace {

// Candidates of one kind that are tried in a cycle.
constexpr int kMaxTries = 8;
constexpr int32_t kNever = INT32_MAX;
// What is reserved (`reserved` below): a share of the registers beyond the first few, by
// instructions further ahead in program order than this.
constexpr uint32_t kNearby = 64;
constexpr int kLeastForAll = 8, kShareForNearby = 4;

// Kinds of instructions, each with a heap of ready ones.
enum Kind : uint8_t { ScalarKind, SequencerKind, VectorKind, LoadKind, StoreKind, PushKind };
constexpr int kKinds = PushKind + kBusyUnits;

class Scheduler {
public:
  Scheduler(const Function &f, std::span<const InstId> insts, const DependenceGraph &graph,
            const Limits &limits, const ListOptions &options)
      : f(f), insts(insts), graph(graph), limits(limits), options(options), count(graph.count),
        state(count), immediates(limits.bundle) {}

  BlockSchedule run() {
    prepare();
    result.cycles.assign(count, 0);
    for (uint32_t left = count; left > 0;) {
      uint32_t placed = oneCycle();
      left -= placed;
      int32_t next = left && placed == 0 ? nextEvent() : now + 1;
      assert(next > now && "time goes on");
      // A result may have to leave its FIFO early, since the oldest instruction needs one behind
      // it. Then only a FIFO that the program itself overfills can block all instructions; the
      // schedule verifier reports that.
      bool isStuck = next == kNever;
      ignoreDepth = isStuck && ignorePressure;
      ignorePressure = isStuck;
      now = isStuck ? now + 1 : next;
    }
    assert(oldest == count && "every instruction has a cycle");
    assert(std::all_of(graph.edges.begin(), graph.edges.end(),
                       [&](const Dependence &e) {
                         return result.cycles[e.to] - result.cycles[e.from] >= e.latency;
                       }) &&
           "every dependence has its latency");
    for (uint32_t i = 0; i < count; ++i)
      result.length = std::max(result.length, result.cycles[i] + settleCycles(limits, opcode(i)));
    return std::move(result);
  }

private:
  struct State {
    int32_t height = 0;
    int32_t ready = 0;
    uint32_t waiting = 0; // predecessors not yet scheduled
    uint8_t kind = 0;
    bool scheduled = false;
    bool pop = false;
  };
  struct Arrival {
    int32_t ready;
    uint32_t inst;
    bool operator>(const Arrival &o) const { return ready > o.ready; }
  };

  isa::Opcode opcode(uint32_t i) const { return f.insts[insts[i]].opcode; }

  void prepare() {
    for (uint32_t i = 0; i < count; ++i) {
      const isa::InstInfo &info = isa::info(opcode(i));
      State &s = state[i];
      switch (info.slot) {
      case isa::Slot::Scalar:
        s.kind = info.sequencer ? SequencerKind : ScalarKind;
        break;
      case isa::Slot::Vector:
        s.kind = VectorKind;
        break;
      case isa::Slot::Load:
        s.kind = LoadKind;
        break;
      case isa::Slot::Store:
        s.kind = StoreKind;
        break;
      case isa::Slot::Push:
        s.kind = uint8_t(PushKind + busyUnitOf(f, insts[i]));
        break;
      case isa::Slot::Pop:
        s.pop = true;
        break;
      }
    }
    for (const Dependence &e : graph.edges)
      ++state[e.to].waiting;
    for (uint32_t i = count; i-- > 0;) {
      int32_t height = settleCycles(limits, opcode(i));
      for (const Dependence &e : graph.from(i)) {
        assert(e.to > i && e.distance == 0 && "dependences of a block go forward");
        height = std::max(height, e.latency + state[e.to].height);
      }
      state[i].height = height;
    }
    prepareFifos();
    preparePressure();
    for (uint32_t i = 0; i < count; ++i)
      if (state[i].waiting == 0)
        arrivals.push({0, i});
  }

  void prepareFifos() {
    entriesOf.assign(count, {});
    for (const FifoEntry &e : graph.fifo)
      entriesOf[e.push].push_back(e.pop);
  }

  // Values of the block occupy a register from their definition to their last use; the caller's
  // budget accounts for all others. Results of units wait in their FIFO until they are popped.
  void preparePressure() {
    usesLeft.assign(f.regs.size(), 0);
    for (uint32_t i = 0; i < count; ++i)
      forEachUse(i, [&](RegId r) { ++usesLeft[r]; });
  }
  bool local(RegId r) const { return !options.global || !(*options.global)[r]; }
  template <typename Fn> void forEachUse(uint32_t i, Fn &&fn) const {
    auto ops = f.ops(insts[i]);
    for (size_t k = size_t(f.resultCount(insts[i])); k < ops.size(); ++k)
      if (ops[k].isReg() && local(ops[k].regId()))
        fn(ops[k].regId());
  }
  template <typename Fn> void forEachLocalDef(uint32_t i, Fn &&fn) const {
    auto ops = f.ops(insts[i]);
    for (int k = 0; k < f.resultCount(insts[i]); ++k)
      if (local(ops[k].regId()))
        fn(ops[k].regId());
  }
  /// The change of register pressure when instruction i issues.
  std::array<int, kRegClasses> pressureChange(uint32_t i) {
    std::array<int, kRegClasses> change{};
    forEachLocalDef(i, [&](RegId r) { ++change[int(f.regs[r].cls)]; });
    forEachUse(i, [&](RegId r) {
      if (usesLeft[r] == 1)
        --change[int(f.regs[r].cls)];
    });
    return change;
  }
  bool pressureAllows(uint32_t i) {
    if (i == oldest || (ignorePressure && state[i].pop))
      return true;
    auto change = pressureChange(i);
    for (int c = 0; c < kRegClasses; ++c)
      if (change[c] > 0 && live[c] + change[c] > options.budget[c] - reserved(i, RegClass(c)))
        return false;
    return true;
  }

  /// Registers that instruction i leaves to others. Those far ahead could take all, and the block
  /// would go on one instruction at a time; so could the results of an MXU, each of which needs
  /// another register for the sum that it is added to.
  int reserved(uint32_t i, RegClass cls) const {
    if (cls != RegClass::V)
      return 0;
    int share = std::max(options.budget[int(cls)] - kLeastForAll, 0) / kShareForNearby;
    bool isFar = i - oldest > kNearby;
    bool isSum = state[i].pop && isa::info(opcode(i)).unit == isa::Unit::Mxu;
    return share * (int(isFar) + int(isSum));
  }

  bool tryPlace(uint32_t i) {
    assert(!state[i].scheduled && "an instruction issues once");
    assert(state[i].waiting == 0 && state[i].ready <= now && "its operands are ready");
    if (options.inOrder && i != oldest)
      return false;
    int unit = -1;
    if (state[i].kind >= PushKind && !state[i].pop) {
      unit = state[i].kind - PushKind;
      int q = queueOf(f, insts[i]);
      if (busyUntil[unit] > now || (q >= 0 && !ignoreDepth &&
                                    inFlight[q] + int(entriesOf[i].size()) > queueDepth(limits, q)))
        return false;
    }
    if (!pressureAllows(i) || !immediates.add(f, insts[i]))
      return false;
    auto change = pressureChange(i);
    for (int c = 0; c < kRegClasses; ++c)
      live[c] += change[c];
    forEachUse(i, [&](RegId r) {
      assert(usesLeft[r] > 0 && "more uses than the block has");
      --usesLeft[r];
    });

    result.cycles[i] = now;
    state[i].scheduled = true;
    while (oldest < count && state[oldest].scheduled)
      ++oldest;
    if (unit >= 0)
      busyUntil[unit] = now + intervalOf(limits, opcode(i));
    if (!entriesOf[i].empty()) {
      int q = queueOf(f, insts[i]);
      inFlight[q] += int(entriesOf[i].size());
      for (uint32_t pop : entriesOf[i])
        queues[q].push_back(pop);
    }
    for (const Dependence &e : graph.from(i)) {
      State &to = state[e.to];
      to.ready = std::max(to.ready, now + e.latency);
      if (--to.waiting == 0)
        arrivals.push({to.ready, e.to});
    }
    return true;
  }

  struct ByHeight {
    const std::vector<State> *state;
    bool operator()(uint32_t a, uint32_t b) const {
      int32_t x = (*state)[a].height, y = (*state)[b].height;
      return x != y ? x < y : a > b;
    }
  };
  void pushHeap(int kind, uint32_t i) {
    heaps[kind].push_back(i);
    std::push_heap(heaps[kind].begin(), heaps[kind].end(), ByHeight{&state});
  }
  uint32_t popHeap(int kind) {
    assert(!heaps[kind].empty() && "no candidate of this kind");
    std::pop_heap(heaps[kind].begin(), heaps[kind].end(), ByHeight{&state});
    uint32_t i = heaps[kind].back();
    heaps[kind].pop_back();
    return i;
  }

  /// Issues up to `slots` instructions of a kind; returns how many.
  int placeFrom(int kind, int slots) {
    int placed = 0;
    for (int tries = 0; placed < slots && tries < kMaxTries && !heaps[kind].empty();) {
      uint32_t i = popHeap(kind);
      if (state[i].scheduled)
        continue;
      if (tryPlace(i)) {
        ++placed;
        continue;
      }
      rejected.push_back(i);
      ++tries;
    }
    for (uint32_t i : rejected)
      pushHeap(kind, i);
    rejected.clear();
    return placed;
  }

  /// Issues up to `slots` pops, of different FIFOs; returns how many.
  int placePops(int slots, std::array<bool, kQueues> &popped) {
    std::array<bool, kQueues> tried = popped;
    for (int placed = 0;;) {
      if (placed == slots)
        return placed;
      int best = -1;
      for (int q = 0; q < kQueues; ++q) {
        if (tried[q] || popsTaken[q] == queues[q].size())
          continue;
        uint32_t i = queues[q][popsTaken[q]];
        if (state[i].waiting > 0 || state[i].ready > now)
          continue;
        if (best < 0 || state[i].height > state[queues[best][popsTaken[best]]].height)
          best = q;
      }
      if (best < 0)
        return placed;
      tried[best] = true;
      if (!tryPlace(queues[best][popsTaken[best]]))
        continue;
      assert(inFlight[best] > 0 && "a pop takes a result that was pushed");
      ++popsTaken[best];
      --inFlight[best];
      popped[best] = true;
      ++placed;
    }
  }

  /// Issues up to `slots` pushes, the best candidates of the idle units; returns how many.
  int placePushes(int slots) {
    std::array<bool, kBusyUnits> tried{};
    for (int placed = 0;;) {
      if (placed == slots)
        return placed;
      int best = -1;
      for (int u = 0; u < kBusyUnits; ++u) {
        auto &heap = heaps[PushKind + u];
        while (!heap.empty() && state[heap.front()].scheduled)
          popHeap(PushKind + u);
        if (heap.empty() || tried[u] || busyUntil[u] > now)
          continue;
        if (best < 0 || ByHeight{&state}(heaps[PushKind + best].front(), heap.front()))
          best = u;
      }
      if (best < 0)
        return placed;
      placed += placeFrom(PushKind + best, 1);
      tried[best] = true;
    }
  }

  uint32_t oneCycle() {
    immediates.clear();
    std::array<int, isa::kSlotKinds> left;
    for (int slot = 0; slot < isa::kSlotKinds; ++slot)
      left[slot] = limits.bundle.slots[size_t(slot)];
    int sequencers = 1;
    std::array<bool, kQueues> popped{};
    uint32_t placed = 0;
    auto use = [&](isa::Slot slot, int count) {
      left[int(slot)] -= count;
      placed += uint32_t(count);
    };
    // Issuing instructions may make others ready in the same cycle.
    for (;;) {
      uint32_t before = placed;
      while (!arrivals.empty() && arrivals.top().ready <= now) {
        uint32_t i = arrivals.top().inst;
        arrivals.pop();
        if (!state[i].pop)
          pushHeap(state[i].kind, i);
      }
      use(isa::Slot::Pop, placePops(left[int(isa::Slot::Pop)], popped));
      if (left[int(isa::Slot::Push)] && anyPush())
        use(isa::Slot::Push, placePushes(left[int(isa::Slot::Push)]));
      use(isa::Slot::Load, placeFrom(LoadKind, left[int(isa::Slot::Load)]));
      use(isa::Slot::Store, placeFrom(StoreKind, left[int(isa::Slot::Store)]));
      use(isa::Slot::Vector, placeFrom(VectorKind, left[int(isa::Slot::Vector)]));
      int n = placeFrom(SequencerKind, std::min(sequencers, left[int(isa::Slot::Scalar)]));
      sequencers -= n;
      use(isa::Slot::Scalar, n);
      use(isa::Slot::Scalar, placeFrom(ScalarKind, left[int(isa::Slot::Scalar)]));
      if (placed == before || arrivals.empty() || arrivals.top().ready > now)
        break;
    }
    if (placed == 0 && oldest < count && state[oldest].waiting == 0 && state[oldest].ready <= now &&
        !state[oldest].pop && tryPlace(oldest))
      placed = 1;
    return placed;
  }

  bool anyPush() const {
    for (int u = 0; u < kBusyUnits; ++u)
      if (!heaps[PushKind + u].empty())
        return true;
    return false;
  }

  /// The next cycle in which an instruction or a resource becomes ready.
  int32_t nextEvent() const {
    int32_t next = kNever;
    if (!arrivals.empty())
      next = arrivals.top().ready;
    for (int u = 0; u < kBusyUnits; ++u)
      if (!heaps[PushKind + u].empty() && busyUntil[u] > now)
        next = std::min(next, busyUntil[u]);
    for (int q = 0; q < kQueues; ++q) {
      if (popsTaken[q] == queues[q].size())
        continue;
      uint32_t i = queues[q][popsTaken[q]];
      if (state[i].waiting == 0 && state[i].ready > now)
        next = std::min(next, state[i].ready);
    }
    return std::max(next, now + 1);
  }

  const Function &f;
  std::span<const InstId> insts;
  const DependenceGraph &graph;
  const Limits &limits;
  const ListOptions &options;
  uint32_t count;
  std::vector<State> state;
  std::array<std::vector<uint32_t>, kKinds> heaps;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals;
  std::vector<uint32_t> rejected;
  std::vector<std::vector<uint32_t>> entriesOf;      // pops of each push
  std::array<std::vector<uint32_t>, kQueues> queues; // pops in the order of pushes
  std::array<size_t, kQueues> popsTaken{};
  std::array<int, kQueues> inFlight{};
  std::array<int32_t, kBusyUnits> busyUntil{};
  std::array<int, kRegClasses> live{};
  std::vector<uint32_t> usesLeft;
  ImmediateSet immediates;
  int32_t now = 0;
  uint32_t oldest = 0;
  bool ignorePressure = false; // of pops
  bool ignoreDepth = false;
  BlockSchedule result;
};

} // namespace

BlockSchedule listSchedule(const Function &f, std::span<const InstId> insts,
                           const DependenceGraph &graph, const Limits &limits,
                           const ListOptions &options) {
  assert(graph.count == insts.size() && "the graph of these instructions");
  return Scheduler(f, insts, graph, limits, options).run();
}

} // namespace systole::machine
