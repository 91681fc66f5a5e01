// The work of loops on each slot and unit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/StreamWork.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace systole::machine {

StreamWork &StreamWork::operator+=(const StreamWork &other) {
  for (size_t k = 0; k < cycles.size(); ++k)
    cycles[k] += other.cycles[k];
  return *this;
}

StreamWork StreamWork::operator*(double times) const {
  StreamWork product = *this;
  for (double &c : product.cycles)
    c *= times;
  return product;
}

double StreamWork::most() const { return *std::max_element(cycles.begin(), cycles.end()); }

double StreamWork::products() const {
  return *std::max_element(cycles.begin() + isa::kSlotKinds + kMxuPorts, cycles.end());
}

double StreamWork::room(const StreamWork &other, double total) const {
  double times = std::numeric_limits<double>::infinity();
  for (size_t k = 0; k < cycles.size(); ++k)
    if (other.cycles[k] > 0)
      times = std::min(times, std::max(total - cycles[k], 0.0) / other.cycles[k]);
  return times;
}

StreamWork workOf(const Function &f, const std::vector<NodeId> &nodes, const Limits &limits) {
  StreamWork work;
  for (NodeId n : nodes) {
    const Node &node = f.nodes[n];
    for (InstId i : node.insts) {
      const isa::InstInfo &info = isa::info(f.insts[i].opcode);
      if (int slots = limits.bundle.count(info.slot))
        work.cycles[size_t(info.slot)] += 1.0 / slots;
      if (int unit = busyUnitOf(f, i); unit >= 0)
        work.cycles[isa::kSlotKinds + size_t(unit)] += intervalOf(limits, f.insts[i].opcode);
    }
    bool isCounted = node.kind == Node::Kind::Loop && node.operand.isImm();
    work += workOf(f, node.body, limits) * (isCounted ? node.operand.value : 1);
    work += workOf(f, node.orElse, limits);
  }
  return work;
}

VectorLifetimes vectorLifetimes(const Function &f, const std::vector<InstId> &insts,
                                const Limits &limits) {
  struct Edge {
    uint32_t from, to;
  };
  std::vector<Edge> edges; // of registers and of units' results, sorted by `to`
  llvm::DenseMap<RegId, uint32_t> definitions;
  std::array<std::deque<uint32_t>, kQueues> pushed;
  VectorLifetimes lifetimes;
  for (uint32_t i = 0; i < insts.size(); ++i) {
    auto ops = f.ops(insts[i]);
    auto results = size_t(f.resultCount(insts[i]));
    for (const Operand &o : ops.subspan(results)) {
      if (!o.isReg())
        continue;
      if (auto it = definitions.find(o.regId()); it != definitions.end())
        edges.push_back({it->second, i});
      else if (f.regs[o.regId()].cls == RegClass::V)
        lifetimes.invariant.insert(o.regId());
    }
    for (const Operand &o : ops.first(results))
      definitions[o.regId()] = i;
    int q = queueOf(f, insts[i]);
    if (q < 0)
      continue;
    if (!traits(f.insts[insts[i]].opcode).pop) {
      pushed[size_t(q)].insert(pushed[size_t(q)].end(), size_t(pushCount(f, insts[i])), i);
    } else if (!pushed[size_t(q)].empty()) {
      edges.push_back({pushed[size_t(q)].front(), i});
      pushed[size_t(q)].pop_front();
    }
  }
  auto latency = [&](uint32_t i) { return latencyOf(limits, f.insts[insts[i]].opcode); };
  std::vector<int64_t> early(insts.size(), 0), late(insts.size(), INT64_MAX), last(insts.size(), 0);
  for (const Edge &edge : edges)
    early[edge.to] = std::max(early[edge.to], early[edge.from] + latency(edge.from));
  // Edges are visited from the last instruction backwards: those that leave it come first.
  for (size_t k = edges.size(), i = insts.size(); i-- > 0;) {
    if (late[i] == INT64_MAX)
      late[i] = early[i];
    for (; k > 0 && edges[k - 1].to == i; --k) {
      uint32_t from = edges[k - 1].from;
      late[from] = std::min(late[from], late[i] - latency(from));
      last[from] = std::max(last[from], late[i]);
    }
  }
  for (auto [reg, i] : definitions)
    if (f.regs[reg].cls == RegClass::V && last[i] > late[i])
      lifetimes.cycles += double(last[i] - late[i]);
  return lifetimes;
}

} // namespace systole::machine
