// Runs the loops of one stream of instructions beside those of another.
//
// The stream with more products is the host: iterations of the other one's loops, the guests, go
// into the bodies of its loops of products, in order. A loop of `a` iterations of a guest and `b`
// of a host
//
//   loop n { guest }; loop m { host }    becomes    loop t { guest x a; host x b }; rests
//
// takes no more cycles than its busiest unit if software pipelining finds the schedule. A guest in
// an outer loop keeps it; the host goes on in it where it was.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Interleave.h"

#include "compiler/Diagnostics/Debug.h"
#include "compiler/Schedule/LoopCopier.h"
#include "compiler/Schedule/MachineBuilder.h"
#include "compiler/Schedule/StreamWork.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <map>

#define DEBUG_TYPE "systole-interleave"

namespace systole::machine {
namespace {

using Registers = LoopCopier::Registers;

// The part of the vector registers that schedules can fill on average over an interval.
constexpr double kUsedRegisters = 0.75;
// Iterations of the host that filling and draining a shared loop takes.
constexpr double kFilledHosts = 2;
// The part of a guest's cycles that a shared loop has to save.
constexpr double kLeastSaving = 0.25;

/// The loop of products that takes in iterations of guests, and how far it is.
struct Host {
  NodeId loop = kNone;
  int64_t left = 0;           // iterations
  StreamWork each;            // of an iteration
  std::vector<Operand> state; // of its loop-carried values
};

/// Iterations of both in each iteration of the loop that they share.
struct Ratio {
  int64_t guest = 0, host = 0;
};

class Interleaver {
public:
  Interleaver(Function &f, const Limits &limits, SharedLoops &shared)
      : f(f), limits(limits), shared(shared), copier(f) {}

  std::vector<NodeId> list(const std::vector<NodeId> &nodes) {
    std::vector<NodeId> out;
    for (NodeId n : nodes) {
      std::vector<NodeId> body = list(f.nodes[n].body), orElse = list(f.nodes[n].orElse);
      if (f.nodes[n].kind == Node::Kind::Interleave) {
        merge(body, orElse, out);
        continue;
      }
      f.nodes[n].body = std::move(body);
      f.nodes[n].orElse = std::move(orElse);
      out.push_back(n);
    }
    return out;
  }

private:
  bool isCountedLoop(NodeId n) const {
    const Node &node = f.nodes[n];
    return node.kind == Node::Kind::Loop && node.operand.isImm() && node.operand.value > 1;
  }
  /// A loop without control flow in it.
  bool isFlat(NodeId n) const {
    const Node &node = f.nodes[n];
    return isCountedLoop(n) && node.body.size() == 1 &&
           f.nodes[node.body[0]].kind == Node::Kind::Block;
  }
  bool isHost(NodeId n) const {
    return isFlat(n) && workOf(f, f.nodes[n].body, limits).products() > 0;
  }
  /// A loop of blocks and of such loops.
  bool isGuest(NodeId n) const {
    auto fits = [&](NodeId inner) {
      return f.nodes[inner].kind == Node::Kind::Block || isGuest(inner);
    };
    return isCountedLoop(n) && std::all_of(f.nodes[n].body.begin(), f.nodes[n].body.end(), fits);
  }

  void setStream(const std::vector<NodeId> &nodes, uint16_t stream) {
    forEachNode(f, nodes, [&](NodeId n) {
      for (InstId i : f.nodes[n].insts)
        if (traits(f.insts[i].opcode).isMemory())
          f.insts[i].order.stream = stream;
    });
  }

  void merge(const std::vector<NodeId> &first, const std::vector<NodeId> &second,
             std::vector<NodeId> &out) {
    streams += 2;
    setStream(first, streams);
    setStream(second, streams + 1);
    bool swapped = workOf(f, second, limits).products() > workOf(f, first, limits).products();
    const std::vector<NodeId> &hosts = swapped ? second : first;
    const std::vector<NodeId> &others = swapped ? first : second;
    guests.assign(others.begin(), others.end());
    share = shareOf(hosts, others);
    for (NodeId n : hosts) {
      if (isHost(n))
        fill(n, out);
      else
        out.push_back(n);
    }
    out.insert(out.end(), guests.begin(), guests.end());
  }

  /// The part of the room beside products that guests need, so that these are spread evenly.
  double shareOf(const std::vector<NodeId> &hosts, const std::vector<NodeId> &others) const {
    StreamWork room, needed = workOf(f, others, limits);
    for (NodeId n : hosts) {
      if (!isHost(n))
        continue;
      StreamWork each = workOf(f, f.nodes[n].body, limits);
      for (size_t k = 0; k < room.cycles.size(); ++k)
        room.cycles[k] += (each.most() - each.cycles[k]) * f.nodes[n].operand.value;
    }
    double part = 0;
    for (size_t k = 0; k < room.cycles.size(); ++k)
      if (needed.cycles[k] > 0)
        part = std::max(part, needed.cycles[k] / std::max(room.cycles[k], 1.0));
    return std::min(part, 1.0);
  }

  //===------------------------------------------------------------------===//
  // Choice
  //===------------------------------------------------------------------===//

  Ratio ratioOf(NodeId guest) const {
    assert(isFlat(guest) && "iterations of innermost loops");
    StreamWork each = workOf(f, f.nodes[guest].body, limits);
    if (each.products() > 0)
      return {};
    double cycles = host.each.most();
    auto halved = shared.halvings.find({guest, host.loop});
    int halvings = halved == shared.halvings.end() ? 0 : halved->second;
    if (halvings >= SharedLoops::kMostHalvings)
      return {};
    double room = std::min(host.each.room(each, cycles), roomInRegisters(guest, cycles)) /
                  double(1 << halvings);
    double spread = room * share;
    double rate = spread >= 1 ? spread : std::min(room, 1.0);
    int64_t count = f.nodes[guest].operand.value;
    if (rate >= 1) {
      int64_t most = std::min(int64_t(std::min(rate, 1e6)), count);
      // No iteration is left over, if there are about as many.
      for (int64_t a = most; 4 * a > 3 * most; --a)
        if (count % a == 0)
          return {a, 1};
      return {most, 1};
    }
    constexpr double leastRate = 1.0 / 4; // several iterations of products make long bodies
    if (rate < leastRate)
      return {};
    return {1, int64_t(1 / rate + 0.999)};
  }

  /// Whether a loop of so many shared iterations saves more than it takes to fill and drain.
  bool isWorth(NodeId guest, Ratio ratio, int64_t trips) const {
    StreamWork each = workOf(f, f.nodes[guest].body, limits);
    return double(trips * ratio.guest) * each.most() > kFilledHosts * host.each.most();
  }

  /// How many iterations of a guest the vector registers have room for in so many cycles.
  double roomInRegisters(NodeId guest, double cycles) const {
    VectorLifetimes own = lifetimesOf(guest);
    const VectorLifetimes &products = lifetimesOf(host.loop);
    own.invariant.insert(products.invariant.begin(), products.invariant.end());
    double free = kUsedRegisters * (registerCount(RegClass::V) - double(own.invariant.size()));
    return own.cycles > 0 ? std::max(free * cycles - products.cycles, 0.0) / own.cycles : 1e6;
  }

  /// Of the body of a flat loop, which does not change.
  const VectorLifetimes &lifetimesOf(NodeId loop) const {
    auto [it, isNew] = lifetimes.try_emplace(loop);
    if (isNew)
      it->second = vectorLifetimes(f, f.nodes[f.nodes[loop].body[0]].insts, limits);
    return it->second;
  }

  /// Iterations of the host that all of a guest takes.
  int64_t needed(NodeId n) const {
    if (f.nodes[n].kind != Node::Kind::Loop)
      return 0;
    if (isFlat(n)) {
      Ratio ratio = ratioOf(n);
      int64_t trips = ratio.guest ? f.nodes[n].operand.value / ratio.guest : 0;
      return isWorth(n, ratio, trips) ? trips * ratio.host : 0;
    }
    return f.nodes[n].operand.value * neededInBody(n);
  }
  int64_t neededInBody(NodeId n) const {
    int64_t sum = 0;
    for (NodeId inner : f.nodes[n].body)
      sum += needed(inner);
    return sum;
  }

  /// Appends the host `n` and the guests that run beside it.
  void fill(NodeId n, std::vector<NodeId> &out) {
    host = {n, f.nodes[n].operand.value, workOf(f, f.nodes[n].body, limits), {}};
    for (const Carried &c : f.nodes[n].carried)
      host.state.push_back(c.init);
    while (!guests.empty() && host.left > 0) {
      NodeId guest = guests.front();
      if (!isGuest(guest) || needed(guest) == 0) {
        out.push_back(guest);
        guests.pop_front();
        continue;
      }
      int64_t trips = tripsBeside(guest);
      if (trips < 2)
        break;
      guests.pop_front();
      if (NodeId rest = begin(guest, trips, out); rest != kNone)
        guests.push_front(rest);
    }
    finishHost(out);
  }

  /// How many iterations of a guest's outermost loop the host has room for.
  int64_t tripsBeside(NodeId guest) const {
    int64_t count = f.nodes[guest].operand.value;
    if (!isFlat(guest))
      return std::min(count, host.left / neededInBody(guest));
    Ratio ratio = ratioOf(guest);
    int64_t trips = std::min(count / ratio.guest, host.left / ratio.host);
    return isWorth(guest, ratio, trips) ? trips * ratio.guest : 0;
  }

  /// Appends the first `trips` iterations of a guest beside the host; returns a loop of the others,
  /// if any.
  NodeId begin(NodeId guest, int64_t trips, std::vector<NodeId> &out) {
    LLVM_DEBUG(llvm::dbgs() << "@" << f.name << ": " << trips << " of "
                            << f.nodes[guest].operand.value << " iterations beside products\n");
    Node node = f.nodes[guest];
    std::vector<Operand> inits;
    for (const Carried &c : node.carried)
      inits.push_back(c.init);
    Registers registers;
    std::vector<Operand> results = repeat(guest, trips, inits, registers, out);
    if (trips < node.operand.value) {
      Node &rest = f.nodes[guest];
      rest.operand = Operand::imm(int32_t(node.operand.value - trips));
      for (size_t k = 0; k < results.size(); ++k)
        rest.carried[k].init = results[k];
      return guest;
    }
    define(node.carried, results, node.loc, out);
    return kNone;
  }

  void finishHost(std::vector<NodeId> &out) {
    Node &node = f.nodes[host.loop];
    if (host.left > 0) {
      node.operand = Operand::imm(int32_t(host.left));
      for (size_t k = 0; k < host.state.size(); ++k)
        node.carried[k].init = host.state[k];
      out.push_back(host.loop);
      return;
    }
    Node done = node;
    define(done.carried, host.state, done.loc, out);
  }

  /// Defines the results of a loop that has been replaced.
  void define(const std::vector<Carried> &carried, const std::vector<Operand> &values, uint32_t loc,
              std::vector<NodeId> &out) {
    std::vector<InstId> copies;
    for (size_t k = 0; k < carried.size(); ++k)
      if (carried[k].result != kNone)
        copies.push_back(makeCopy(f, carried[k].result, values[k], loc));
    if (!copies.empty())
      out.push_back(copier.blockOf(std::move(copies)));
  }

  //===------------------------------------------------------------------===//
  // Code
  //===------------------------------------------------------------------===//

  Node newLoop(int64_t trips, uint32_t loc) const {
    Node loop;
    loop.kind = Node::Kind::Loop;
    loop.operand = Operand::imm(int32_t(trips));
    loop.loc = loc;
    return loop;
  }
  void append(Node node, std::vector<NodeId> &out) {
    NodeId n = f.newNode(node.kind);
    f.nodes[n] = std::move(node);
    out.push_back(n);
  }
  /// The order of accesses in the loop that is shared now, as in a loop of their own.
  StreamOrder orderOf(const Node &own) const {
    StreamOrder order;
    order.loop = loops;
    order.independent = own.independent;
    order.equalOrDisjoint = own.equalOrDisjoint;
    return order;
  }

  /// Appends `trips` iterations of a copy of `guest`, beside the host where it has room; returns
  /// the loop-carried values after them.
  std::vector<Operand> repeat(NodeId guest, int64_t trips, const std::vector<Operand> &inits,
                              Registers &registers, std::vector<NodeId> &out) {
    if (isFlat(guest)) {
      Ratio ratio = ratioOf(guest);
      int64_t both = ratio.guest ? trips / ratio.guest : 0;
      if (both == 0 || !isWorth(guest, ratio, both))
        return copyLoop(guest, trips, inits, registers, out);
      std::vector<Operand> values = shareLoop(guest, both, ratio, inits, registers, out);
      int64_t rest = trips - both * ratio.guest;
      return rest ? copyLoop(guest, rest, values, registers, out) : values;
    }
    return copyLoop(guest, trips, inits, registers, out);
  }

  std::vector<Operand> shareLoop(NodeId guest, int64_t trips, Ratio ratio,
                                 const std::vector<Operand> &inits, const Registers &registers,
                                 std::vector<NodeId> &out) {
    const Node node = f.nodes[guest], product = f.nodes[host.loop];
    const std::vector<InstId> own = f.nodes[node.body[0]].insts;
    const std::vector<InstId> others = f.nodes[product.body[0]].insts;
    assert(host.left >= trips * ratio.host && "the host has these iterations");
    host.left -= trips * ratio.host;
    ++loops;
    StreamWork each = workOf(f, node.body, limits);
    int32_t number = int32_t(shared.pairs.size());
    shared.pairs.push_back({guest, host.loop});
    shared.limits.push_back(int32_t(double(ratio.host) * host.each.most() +
                                    (1 - kLeastSaving) * double(ratio.guest) * each.most()));
    std::vector<InstId> insts;
    Node loop = newLoop(trips, product.loc);
    std::vector<Operand> values = copier.carry(loop, node.carried, inits);
    std::vector<Operand> state = copier.carry(loop, product.carried, host.state);
    Registers inner = registers;
    auto copy = [&](const Node &of, const std::vector<InstId> &body,
                    std::vector<Operand> &carried) {
      StreamOrder order = orderOf(of);
      LoopCopier::bind(of.carried, carried, inner);
      copier.copy(body, inner, &order, insts);
      carried = LoopCopier::nextOf(of.carried, inner);
    };
    for (int64_t k = 0; k < ratio.guest; ++k)
      copy(node, own, values);
    for (int64_t k = 0; k < ratio.host; ++k)
      copy(product, others, state);
    std::vector<Operand> results = LoopCopier::setNext(loop, 0, values);
    host.state = LoopCopier::setNext(loop, node.carried.size(), state);
    loop.shared = number;
    loop.body = {copier.blockOf(std::move(insts))};
    append(std::move(loop), out);
    return results;
  }

  /// Appends a copy of a loop of `trips` iterations; loops in it share theirs with the host.
  std::vector<Operand> copyLoop(NodeId n, int64_t trips, const std::vector<Operand> &inits,
                                const Registers &registers, std::vector<NodeId> &out) {
    const Node node = f.nodes[n];
    bool takesHost = !isFlat(n) && neededInBody(n) > 0;
    int64_t left = host.left;
    Node loop = newLoop(trips, node.loc);
    std::vector<Operand> values = copier.carry(loop, node.carried, inits);
    loop.independent = node.independent && !takesHost;
    loop.equalOrDisjoint = node.equalOrDisjoint && !takesHost;
    if (takesHost)
      host.state = copier.carry(loop, f.nodes[host.loop].carried, host.state);
    Registers inner = registers;
    LoopCopier::bind(node.carried, values, inner);
    for (NodeId child : node.body)
      copyNode(child, inner, loop.body);
    std::vector<Operand> results =
        LoopCopier::setNext(loop, 0, LoopCopier::nextOf(node.carried, inner));
    if (takesHost) {
      host.state = LoopCopier::setNext(loop, node.carried.size(), host.state);
      host.left = left - (left - host.left) * trips;
      assert(host.left >= 0 && "the host has these iterations");
    }
    append(std::move(loop), out);
    return results;
  }

  void copyNode(NodeId n, Registers &registers, std::vector<NodeId> &out) {
    const Node node = f.nodes[n];
    if (node.kind == Node::Kind::Block) {
      std::vector<InstId> insts;
      copier.copy(node.insts, registers, nullptr, insts);
      out.push_back(copier.blockOf(std::move(insts)));
      return;
    }
    std::vector<Operand> inits;
    for (const Carried &c : node.carried)
      inits.push_back(LoopCopier::valueOf(c.init, registers));
    std::vector<Operand> results = repeat(n, node.operand.value, inits, registers, out);
    for (size_t k = 0; k < results.size(); ++k)
      if (node.carried[k].result != kNone)
        registers[node.carried[k].result] = results[k];
  }

  Function &f;
  const Limits &limits;
  SharedLoops &shared;
  LoopCopier copier;
  Host host;
  std::deque<NodeId> guests;
  mutable std::map<NodeId, VectorLifetimes> lifetimes;
  double share = 1;
  uint16_t streams = 0, loops = 0;
};

} // namespace

void interleaveStreams(Function &f, const Limits &limits, SharedLoops &shared) {
  shared.pairs.clear();
  shared.limits.clear();
  f.body = Interleaver(f, limits, shared).list(f.body);
}

} // namespace systole::machine
