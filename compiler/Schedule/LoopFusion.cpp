// Fuses neighbouring loops of the same number of iterations.
// See docs/decisions/loop-pipelines.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/LoopFusion.h"

#include "compiler/Diagnostics/Debug.h"
#include "compiler/Schedule/Address.h"
#include "compiler/Schedule/IterationAccess.h"
#include "compiler/Schedule/Pipeliner.h"
#include "compiler/Schedule/StreamWork.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <cmath>

#define DEBUG_TYPE "systole-fuse-loops"

namespace systole::machine {
namespace {

/// Instructions of a fused loop; scheduling takes more than linear time.
constexpr size_t kMostInstructions = 256;

/// The memory accesses, uses and definitions of a block or of a loop's body.
struct Effects {
  std::vector<InstId> accesses;
  std::vector<MemoryAccess> inAllIterations; ///< the same ones
  llvm::DenseSet<RegId> uses, definitions;
  bool hasBarrier = false; ///< a copy, a wait or the like
  bool usesMxu = false;    ///< which keeps weights
};

class LoopFuser {
public:
  LoopFuser(const Module &module, Function &f, const Limits &limits, FusedLoops &fused)
      : f(f), limits(limits), fused(fused), addresses(f), alias(module, addresses),
        accesses(describeAccesses(f, addresses)) {}

  void list(std::vector<NodeId> &nodes) {
    for (NodeId n : nodes) {
      // Streams share their loops in their own way (Interleave.h).
      if (f.nodes[n].kind == Node::Kind::Interleave)
        continue;
      std::vector<NodeId> body = f.nodes[n].body, orElse = f.nodes[n].orElse;
      list(body);
      list(orElse);
      f.nodes[n].body = std::move(body);
      f.nodes[n].orElse = std::move(orElse);
    }
    for (size_t at = 0; at < nodes.size(); ++at)
      while (isPipelineCandidate(f, nodes[at]) && takeNext(nodes, at)) {
      }
  }

private:
  /// Fuses the loop at `at` with the next one of the list, if that is possible. Blocks that have to
  /// run before both come before it, the others stay behind it.
  bool takeNext(std::vector<NodeId> &nodes, size_t &at) {
    const NodeId first = nodes[at];
    size_t next = at + 1;
    while (next < nodes.size() && f.nodes[nodes[next]].kind == Node::Kind::Block)
      ++next;
    if (next == nodes.size() || !isPipelineCandidate(f, nodes[next]) ||
        !(f.nodes[nodes[next]].operand == f.nodes[first].operand))
      return false;
    const NodeId second = nodes[next];
    FusedLoops::Loop now = stateOf(first), other = stateOf(second);
    now.parts.insert(now.parts.end(), other.parts.begin(), other.parts.end());
    now.limitII += other.limitII;
    if (now.parts.size() > limitOf(first) || now.parts.size() > limitOf(second))
      return false;
    if (bodyOf(first).size() + bodyOf(second).size() > kMostInstructions)
      return false;
    Effects a = effectsOf(first), c = effectsOf(second);
    // The blocks between them, by the side on which they run.
    std::vector<NodeId> before, behind;
    std::vector<Effects> left;
    for (NodeId n : llvm::ArrayRef(nodes).slice(at + 1, next - at - 1)) {
      Effects block = effectsOf(n);
      auto mayPass = [&](const Effects &other) { return commute(other, block); };
      if (mayPass(a) && llvm::all_of(left, mayPass)) {
        before.push_back(n);
      } else if (commute(block, c)) {
        behind.push_back(n);
        left.push_back(std::move(block));
      } else {
        return false;
      }
    }
    noteEqualValues(first, second);
    if (!isLegal(first, second, a, c)) {
      // They are equal in iterations of one loop only.
      for (const Carried &carried : f.nodes[second].carried)
        equals.erase(carried.phi);
      return false;
    }
    merge(first, second);
    LLVM_DEBUG(llvm::dbgs() << "@" << f.name << ": " << now.parts.size() << " loops of "
                            << f.nodes[first].operand.value << " iterations fused\n");
    fused.loops[first] = std::move(now);
    fused.loops.erase(second);
    std::vector<NodeId> replaced(before);
    replaced.push_back(first);
    replaced.insert(replaced.end(), behind.begin(), behind.end());
    nodes.erase(nodes.begin() + long(at), nodes.begin() + long(next) + 1);
    nodes.insert(nodes.begin() + long(at), replaced.begin(), replaced.end());
    at += before.size();
    return true;
  }

  const std::vector<InstId> &bodyOf(NodeId loop) const {
    return f.nodes[f.nodes[loop].body[0]].insts;
  }

  FusedLoops::Loop stateOf(NodeId loop) const {
    if (auto known = fused.loops.find(loop); known != fused.loops.end())
      return known->second;
    return {{loop}, int32_t(std::ceil(workOf(f, f.nodes[loop].body, limits).most()))};
  }
  size_t limitOf(NodeId loop) const {
    auto limit = fused.limits.find(loop);
    return limit == fused.limits.end() ? SIZE_MAX : limit->second;
  }

  /// Of a block, or of a loop of one block.
  Effects effectsOf(NodeId n) const {
    Effects effects;
    const Node &node = f.nodes[n];
    auto use = [&](const Operand &o) {
      if (o.isReg())
        effects.uses.insert(o.regId());
    };
    bool isLoop = node.kind == Node::Kind::Loop;
    for (const Carried &c : node.carried) {
      use(c.init);
      use(c.next);
      effects.definitions.insert(c.phi);
      if (c.result != kNone)
        effects.definitions.insert(c.result);
    }
    for (InstId i : isLoop ? bodyOf(n) : node.insts) {
      const OpTraits &t = traits(f.insts[i].opcode);
      effects.hasBarrier |= t.barrier;
      effects.usesMxu |= t.mxuField >= 0;
      if (t.isMemory())
        effects.accesses.push_back(i);
      auto results = size_t(f.resultCount(i));
      for (const Operand &o : f.ops(i).first(results))
        effects.definitions.insert(o.regId());
      for (const Operand &o : f.ops(i).subspan(results))
        use(o);
    }
    for (InstId i : effects.accesses)
      effects.inAllIterations.push_back(isLoop ? inAllIterations(accesses[i], n) : accesses[i]);
    return effects;
  }

  /// The rows of an access of a loop from its first to its last iteration.
  MemoryAccess inAllIterations(const MemoryAccess &access, NodeId loop) const {
    // Not kept for further loops: what a loop defines changes when it is fused.
    IterationAccess iterations(f, addresses);
    MemoryAccess all = iterations.at(access, loop, 0);
    const MemoryAccess last = iterations.at(access, loop, f.nodes[loop].operand.value - 1);
    all.bounded &= last.bounded;
    const int64_t distance = last.address.constant - all.address.constant;
    (distance < 0 ? all.low : all.high) += distance;
    all.stride = 0; // any row between
    return all;
  }

  bool conflictByRegion(InstId a, InstId b) const {
    return (accesses[a].store || accesses[b].store) &&
           alias.regionsOverlap(accesses[a].region, accesses[b].region);
  }

  /// Whether `second`, which runs behind `first`, may run before it. Each keeps the order of its
  /// own results of units.
  bool commute(const Effects &first, const Effects &second) const {
    if (first.hasBarrier || second.hasBarrier || (first.usesMxu && second.usesMxu))
      return false;
    auto defines = [](const Effects &effects) {
      return [&](RegId r) { return effects.definitions.contains(r); };
    };
    if (llvm::any_of(second.uses, defines(first)) || llvm::any_of(first.uses, defines(second)))
      return false;
    return llvm::none_of(first.inAllIterations, [&](const MemoryAccess &a) {
      return llvm::any_of(second.inAllIterations, [&](const MemoryAccess &b) {
        return (a.store || b.store) && alias.mayOverlap(a, b);
      });
    });
  }

  /// Notes which loop-carried values of `second` are always those of `first`, if both are one loop.
  void noteEqualValues(NodeId first, NodeId second) {
    for (const Carried &c : f.nodes[second].carried)
      for (const Carried &a : f.nodes[first].carried)
        if (addresses.areEqual(c, a)) {
          equals[c.phi] = nameOf(a.phi);
          break;
        }
  }
  RegId nameOf(RegId phi) const {
    auto it = equals.find(phi);
    return it == equals.end() ? phi : it->second;
  }

  /// Whether no iteration of `second` depends on a later one of `first`, nor on its results.
  bool isLegal(NodeId first, NodeId second, const Effects &a, const Effects &c) const {
    if (a.hasBarrier || c.hasBarrier || (a.usesMxu && c.usesMxu))
      return false;
    for (const Carried &carried : f.nodes[first].carried)
      if (carried.result != kNone && c.uses.contains(carried.result))
        return false;
    auto variant = [&](RegId r) { return a.definitions.contains(r) || c.definitions.contains(r); };
    auto renamed = [&](InstId i) {
      MemoryAccess access = accesses[i];
      access.address = access.address.renamed([&](RegId r) { return nameOf(r); });
      return access;
    };
    for (InstId i : c.accesses) {
      MemoryAccess later = renamed(i);
      for (InstId j : a.accesses)
        if (conflictByRegion(i, j) && alias.carriedDistance(later, renamed(j), variant))
          return false;
    }
    return true;
  }

  /// Appends the iterations of `second` to those of `first`.
  void merge(NodeId first, NodeId second) {
    markLoop(first);
    markLoop(second);
    Node &loop = f.nodes[first];
    const Node &other = f.nodes[second];
    // Equal values stay apart: one would live from the first of its uses to the last.
    loop.carried.insert(loop.carried.end(), other.carried.begin(), other.carried.end());
    std::vector<InstId> &insts = f.nodes[loop.body[0]].insts;
    const std::vector<InstId> &more = bodyOf(second);
    insts.insert(insts.end(), more.begin(), more.end());
    loop.independent = loop.equalOrDisjoint = false;
  }

  /// Marks the accesses of a loop with its number and its properties, which hold among them alone.
  void markLoop(NodeId n) {
    if (fused.loops.contains(n))
      return;
    ++loops;
    for (InstId i : bodyOf(n))
      if (traits(f.insts[i].opcode).isMemory())
        f.insts[i].order = {0, loops, f.nodes[n].independent, f.nodes[n].equalOrDisjoint};
  }

  Function &f;
  const Limits &limits;
  FusedLoops &fused;
  AddressAnalysis addresses;
  AliasAnalysis alias;
  std::vector<MemoryAccess> accesses;
  llvm::DenseMap<RegId, RegId> equals; // loop-carried values, by the first of them
  uint16_t loops = 0;
};

} // namespace

bool FusedLoops::isSlowerThanParts(NodeId n, int64_t trips, const ModuloSchedule &schedule) const {
  auto loop = loops.find(n);
  return loop != loops.end() &&
         (trips - 1) * schedule.ii + schedule.end > trips * loop->second.limitII;
}

void fuseLoops(const Module &module, Function &f, const Limits &limits, FusedLoops &fused) {
  fused.loops.clear();
  LoopFuser(module, f, limits, fused).list(f.body);
}

} // namespace systole::machine
