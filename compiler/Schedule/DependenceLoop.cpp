// Loop-carried dependences.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Dependence.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace systole::machine {

std::optional<DependenceGraph> DependenceBuilder::loop(std::span<const InstId> list,
                                                       const Node &node, bool evenLatencies) {
  start(list, node.independent);
  for (InstId i : insts)
    if (traits(c.f.insts[i].opcode).barrier)
      return std::nullopt;
  registers();
  for (uint32_t i = 0; i < g.count; ++i)
    if (traits(c.f.insts[insts[i]].opcode).isMemory())
      memory(i);
  units(/*carried=*/true, /*isFilling=*/false, evenLatencies);
  if (!carriedRegisters(node)) {
    finish();
    return std::nullopt;
  }
  carriedMemory(node);
  return finish();
}

/// Uses of a loop-carried value depend on its definition in an earlier iteration. False if a value
/// only rotates among loop-carried registers.
bool DependenceBuilder::carriedRegisters(const Node &node) {
  llvm::DenseMap<RegId, uint32_t> defs;
  for (uint32_t i = 0; i < g.count; ++i)
    for (int k = 0; k < c.f.resultCount(insts[i]); ++k)
      if (!defs.try_emplace(c.f.ops(insts[i])[k].regId(), i).second)
        return false;
  struct Source {
    uint32_t def;
    int32_t distance;
  };
  llvm::DenseMap<RegId, Source> sources;
  llvm::DenseMap<std::pair<RegId, uint32_t>, Operand> initial;
  for (const Carried &carried : node.carried) {
    Operand value = carried.next;
    int32_t distance = 1;
    while (value.isReg() && !defs.contains(value.regId())) {
      auto it = std::find_if(node.carried.begin(), node.carried.end(),
                             [&](const Carried &o) { return o.phi == value.regId(); });
      if (it == node.carried.end() || distance > int32_t(node.carried.size()))
        return false; // an invariant from the second iteration on, or a rotation
      value = it->next;
      ++distance;
    }
    if (!value.isReg())
      return false;
    sources[carried.phi] = {defs[value.regId()], distance};
    // Initial values are named after iterations before the first one; a name cannot have two
    // values.
    auto [it, isNew] =
        initial.try_emplace(std::pair(value.regId(), uint32_t(distance)), carried.init);
    if (!isNew && !(it->second == carried.init))
      return false;
  }
  for (uint32_t i = 0; i < g.count; ++i) {
    auto ops = c.f.ops(insts[i]);
    for (size_t k = size_t(c.f.resultCount(insts[i])); k < ops.size(); ++k) {
      if (!ops[k].isReg())
        continue;
      auto it = sources.find(ops[k].regId());
      if (it != sources.end())
        edge(it->second.def, i, latencyOf(c.limits, c.f.insts[insts[it->second.def]].opcode),
             it->second.distance);
    }
  }
  return true;
}

void DependenceBuilder::carriedMemory(const Node &node) {
  if (node.independent)
    return;
  llvm::DenseSet<RegId> variantRegs;
  for (const Carried &carried : node.carried)
    variantRegs.insert(carried.phi);
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < g.count; ++i) {
    for (int k = 0; k < c.f.resultCount(insts[i]); ++k)
      variantRegs.insert(c.f.ops(insts[i])[k].regId());
    if (traits(c.f.insts[insts[i]].opcode).isMemory())
      all.push_back(i);
  }
  auto variant = [&](RegId r) { return variantRegs.contains(r); };
  for (uint32_t a : all) {
    for (uint32_t b : all) {
      const MemoryAccess &x = c.accesses[insts[a]], &y = c.accesses[insts[b]];
      bool sameStream = x.order.sharesLoopWith(y.order);
      if ((!x.store && !y.store) || x.order.isApartFrom(y.order) ||
          (sameStream && x.order.independent))
        continue;
      bool equalOrDisjoint = node.equalOrDisjoint || (sameStream && x.order.equalOrDisjoint);
      if (auto d = c.alias.carriedDistance(x, y, variant, equalOrDisjoint))
        edge(a, b, memoryLatency(a, b), int32_t(std::min<int64_t>(*d, 1 << 20)));
    }
  }
}

} // namespace systole::machine
