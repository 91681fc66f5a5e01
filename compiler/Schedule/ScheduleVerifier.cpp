// Verifies a scheduled function by data-flow analysis: the latest time, over all paths, at which
// each register, unit and FIFO is ready.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/ScheduleVerifier.h"

#include "compiler/Schedule/ListScheduler.h"
#include "compiler/Schedule/Liveness.h"

#include "absl/strings/str_cat.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <map>

namespace systole::machine {
namespace {

/// Results in flight at the start of a flow block, in cycles from there.
struct State {
  bool reached = false;
  std::map<int, int> registers; // by register key
  std::map<int, int> busy;      // by unit
  std::array<std::vector<int>, kQueues> queues;
  // MXU: when the shadow latch is complete, when the weights are in use, and when the latch can be
  // overwritten.
  std::array<int, kMaxMxus> latched{}, swapped{}, emptied{};

  void advance(int cycles) {
    auto shift = [&](std::map<int, int> &m) {
      for (auto it = m.begin(); it != m.end();) {
        it->second -= cycles;
        it = it->second <= 0 ? m.erase(it) : std::next(it);
      }
    };
    shift(registers);
    shift(busy);
    for (auto &queue : queues)
      for (int &ready : queue)
        ready = std::max(0, ready - cycles);
    for (auto *times : {&latched, &swapped, &emptied})
      for (int &t : *times)
        t = std::max(0, t - cycles);
  }

  /// Joins states by taking the later times; true if this state changed. Clears `match` if a FIFO
  /// has different numbers of results.
  bool merge(const State &other, bool &match) {
    if (!reached) {
      *this = other;
      reached = true;
      return true;
    }
    bool changed = false;
    auto later = [&](int &mine, int theirs) {
      if (theirs > mine) {
        mine = theirs;
        changed = true;
      }
    };
    for (auto [k, v] : other.registers)
      later(registers[k], v);
    for (auto [k, v] : other.busy)
      later(busy[k], v);
    for (int q = 0; q < kQueues; ++q) {
      if (queues[q].size() != other.queues[q].size()) {
        match = false;
        return false;
      }
      for (size_t i = 0; i < queues[q].size(); ++i)
        later(queues[q][i], other.queues[q][i]);
    }
    for (int m = 0; m < kMaxMxus; ++m) {
      later(latched[m], other.latched[m]);
      later(swapped[m], other.swapped[m]);
      later(emptied[m], other.emptied[m]);
    }
    return changed;
  }
};

class Verifier {
public:
  Verifier(const Function &f, const Limits &limits) : f(f), limits(limits), flow(buildFlow(f)) {}

  absl::Status run() {
    for (const FlowBlock &b : flow)
      if (absl::Status s = slots(f.nodes[b.node]); !s.ok())
        return s;
    if (flow.empty())
      return absl::OkStatus();
    std::vector<State> entry(flow.size());
    entry[0].reached = true;
    std::vector<uint32_t> work = {0};
    while (!work.empty()) {
      uint32_t b = work.back();
      work.pop_back();
      State state = entry[b];
      const Node &node = f.nodes[flow[b].node];
      absl::Status s = node.kind == Node::Kind::Block ? block(node, state) : control(node, state);
      if (!s.ok())
        return s;
      for (uint32_t next : flow[b].successors) {
        bool match = true;
        if (entry[next].merge(state, match))
          work.push_back(next);
        if (!match)
          return error("a FIFO holds different numbers of results on two paths", node, 0);
      }
      if (flow[b].successors.empty())
        for (const auto &queue : state.queues)
          if (!queue.empty())
            return error("results are left in a FIFO at the end", node, node.length);
    }
    return absl::OkStatus();
  }

private:
  absl::Status error(absl::string_view what, const Node &, int cycle) const {
    return absl::InternalError(
        absl::StrCat("routine @", f.name, ": cycle ", cycle, " of a block: ", what));
  }
  absl::Status error(absl::string_view what, InstId i, int cycle) const {
    std::string mnemonic(isa::info(f.insts[i].opcode).mnemonic);
    return absl::InternalError(absl::StrCat("routine @", f.name, ": ", mnemonic, " at cycle ",
                                            cycle, " of its block: ", what));
  }

  /// Virtual registers have distinct keys; machine registers are identified by number.
  int key(RegId r) const {
    const RegInfo &info = f.regs[r];
    return info.phys >= 0 ? -1 - (int(info.cls) * 64 + info.phys) : int(r);
  }

  absl::Status slots(const Node &node) const {
    if (node.kind != Node::Kind::Block)
      return absl::OkStatus();
    if (node.cycles.size() != node.insts.size())
      return error("a block is not scheduled", node, 0);
    for (size_t k = 0; k < node.insts.size();) {
      std::array<int, isa::kSlotKinds> used{};
      int sequencers = 0;
      ImmediateSet immediates(limits.bundle);
      int cycle = node.cycles[k];
      if (cycle < 0 || cycle >= node.length || (k > 0 && cycle < node.cycles[k - 1]))
        return error("cycles are out of order or beyond the block's length", node, cycle);
      for (; k < node.insts.size() && node.cycles[k] == cycle; ++k) {
        InstId i = node.insts[k];
        const isa::InstInfo &info = isa::info(f.insts[i].opcode);
        sequencers += info.sequencer;
        if (++used[int(info.slot)] > limits.bundle.count(info.slot) || sequencers > 1)
          return error("no slot is left", i, cycle);
        if (!immediates.add(f, i))
          return error("no shared immediate is left", i, cycle);
      }
    }
    return absl::OkStatus();
  }

  absl::Status control(const Node &node, State &state) const {
    // It may share the last bundle of the previous block, but does not issue later than the start
    // of the next one.
    auto check = [&](RegId r) {
      auto it = state.registers.find(key(r));
      return it == state.registers.end() ? 0 : it->second;
    };
    if (node.operand.isReg() && check(node.operand.regId()) > 0)
      return error("a control instruction reads a register too early", node, 0);
    for (RegId r : node.arguments)
      if (check(r) > 0)
        return error("a call reads an argument too early", node, 0);
    if (node.kind == Node::Kind::Call) {
      bool pending = !state.registers.empty() || !state.busy.empty();
      for (const auto &queue : state.queues)
        pending |= !queue.empty();
      if (pending)
        return error("results are in flight at a call", node, 0);
    }
    return absl::OkStatus();
  }

  absl::Status block(const Node &node, State &state) const {
    int now = 0;
    for (size_t k = 0; k < node.insts.size();) {
      state.advance(node.cycles[k] - now);
      now = node.cycles[k];
      size_t end = k;
      while (end < node.insts.size() && node.cycles[end] == now)
        ++end;
      for (size_t j = k; j < end; ++j)
        if (absl::Status s = reads(node.insts[j], state, now); !s.ok())
          return s;
      for (size_t j = k; j < end; ++j)
        if (absl::Status s = writes(node.insts[j], state, now); !s.ok())
          return s;
      k = end;
    }
    state.advance(node.length - now);
    return absl::OkStatus();
  }

  absl::Status reads(InstId i, State &state, int now) const {
    for (const Operand &o : f.ops(i).subspan(size_t(f.resultCount(i))))
      if (o.isReg() && state.registers.contains(key(o.regId())))
        return error("reads a register before its value is ready", i, now);
    if (traits(f.insts[i].opcode).pop) {
      auto &queue = state.queues[size_t(queueOf(f, i))];
      if (queue.empty())
        return error("pops an empty FIFO", i, now);
      if (queue.front() > 0)
        return error("pops a result before it is ready", i, now);
      queue.erase(queue.begin());
    }
    return absl::OkStatus();
  }

  absl::Status writes(InstId i, State &state, int now) const {
    int latency = latencyOf(limits, f.insts[i].opcode);
    for (const Operand &o : f.ops(i).first(size_t(f.resultCount(i)))) {
      int &ready = state.registers[key(o.regId())];
      if (ready > 0)
        return error("writes a register that another result is on its way to", i, now);
      ready = latency;
    }
    int unit = busyUnitOf(f, i);
    if (unit >= 0) {
      int &busy = state.busy[unit];
      if (busy > 0)
        return error("its unit is busy", i, now);
      busy = intervalOf(limits, f.insts[i].opcode);
    }
    int q = queueOf(f, i);
    if (q >= 3 && !traits(f.insts[i].opcode).pop)
      if (absl::Status s = checkMxu(i, state, size_t(q - 3), now, latency); !s.ok())
        return s;
    if (q >= 0) {
      auto &queue = state.queues[size_t(q)];
      queue.insert(queue.end(), size_t(pushCount(f, i)), latency);
      if (int(queue.size()) > queueDepth(limits, q))
        return error("its FIFO is full", i, now);
    }
    return absl::OkStatus();
  }

  absl::Status checkMxu(InstId i, State &state, size_t mxu, int now, int latency) const {
    switch (isa::info(f.insts[i].opcode).latency) {
    case isa::LatencyClass::mxu_latch:
      if (state.emptied[mxu] > 0)
        return error("the weights in the latch are still needed", i, now);
      state.latched[mxu] = latency;
      break;
    case isa::LatencyClass::mxu_swap:
      if (state.latched[mxu] > 0)
        return error("weights are not latched yet", i, now);
      state.swapped[mxu] = latency;
      state.emptied[mxu] = intervalOf(limits, f.insts[i].opcode);
      break;
    default:
      if (state.swapped[mxu] > 0)
        return error("weights are not swapped in yet", i, now);
    }
    return absl::OkStatus();
  }

  const Function &f;
  const Limits &limits;
  std::vector<FlowBlock> flow;
};

} // namespace

absl::Status verifySchedule(const Function &f, const Limits &limits) {
  return Verifier(f, limits).run();
}

} // namespace systole::machine
