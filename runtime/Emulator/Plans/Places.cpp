// Places of values, and when these are free.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Plans/Places.h"

#include <algorithm>
#include <cassert>

namespace systole::emulation {

// Behind the part.
static constexpr int kAtEnd = 1 << 30;

PlaceAssigner::PlaceAssigner(PartGraph &graph, const ResultCounts &depths,
                             std::vector<RowAccess> &stores)
    : graph(graph), depths(depths) {
  findLastUses();
  forwardStores(stores);
  findLastUses();
}

void PlaceAssigner::findPositions() {
  positions.resize(graph.order.size());
  for (size_t i = 0; i < graph.order.size(); ++i) {
    const PartGraph::Node &node = graph.nodes[size_t(graph.order[i])];
    const PartGraph::Node *before = i > 0 ? &graph.nodes[size_t(graph.order[i - 1])] : nullptr;
    const bool joins = before && isProduct(*node.op) && node.stage == before->stage &&
                       node.chain == before->chain && node.turn == before->turn &&
                       node.op->handler == before->op->handler &&
                       node.op->count == before->op->count && node.op->aux == before->op->aux;
    positions[i] = joins ? positions[i - 1] : int(i);
  }
}

void PlaceAssigner::findLastUses() {
  findPositions();
  finalRegisterOf.assign(graph.values.size(), -1);
  stays.assign(graph.values.size(), false);
  lastUses.assign(graph.values.size(), -1);
  for (size_t i = 0; i < graph.order.size(); ++i)
    for (const int operand : graph.nodes[size_t(graph.order[i])].operands)
      if (operand >= 0)
        lastUses[size_t(operand)] = positions[i];
  for (int reg = kVectorBase; reg < kRegisters; ++reg)
    if (graph.writes(reg)) {
      const auto value = size_t(graph.registers[size_t(reg)]);
      lastUses[value] = kAtEnd;
      if (finalRegisterOf[value] < 0)
        finalRegisterOf[value] = reg;
    }
  for (size_t unit = 0; unit < graph.queues.size(); ++unit) {
    const PartGraph::Queue &queue = graph.queues[unit];
    for (size_t i = 0; i < queue.pushed.size(); ++i)
      if (queue.stays(i, graph.found[unit])) {
        stays[size_t(queue.pushed[i])] = true;
        lastUses[size_t(queue.pushed[i])] = kAtEnd;
      }
  }
}

// Whether nobody reads what the part found in the slot of a result from a position on.
bool PlaceAssigner::isFree(const PartGraph::Value &result, int position) const {
  const uint8_t unit = result.slotPlace.unit;
  const int slot = result.slot % depths[unit];
  if (slot >= graph.found[unit])
    return true;
  const std::vector<int> &found = graph.queues[unit].entries;
  const int value = size_t(slot) < found.size() ? found[size_t(slot)] : -1;
  return value < 0 || lastUses[size_t(value)] < position;
}

int PlaceAssigner::takeTemporary(int value, int position) {
  const int until = std::max(lastUses[size_t(value)], position);
  auto free = std::ranges::find_if(busyUntil, [&](int busy) { return busy < position; });
  if (free == busyUntil.end())
    free = busyUntil.insert(free, 0);
  *free = until;
  return int(free - busyUntil.begin());
}

void PlaceAssigner::assign(int value, int position, bool inPlace) {
  PartGraph::Value &result = graph.values[size_t(value)];
  if (result.place)
    return; // where it is stored
  if (stays[size_t(value)] && isFree(result, position)) {
    result.place = result.slotPlace;
    return;
  }
  if (const int reg = finalRegisterOf[size_t(value)]; reg >= 0) {
    const int entry = graph.entries[size_t(reg)];
    const int lastUse = entry < 0 ? -1 : lastUses[size_t(entry)];
    if (lastUse < position + inPlace) {
      result.place = Place{Place::Kind::Register, 0, 0, offsetOfRegister(reg)};
      return;
    }
  }
  result.place = Place{Place::Kind::Temporary, 0, 0, takeTemporary(value, position)};
}

void PlaceAssigner::forwardStores(std::vector<RowAccess> &stores) {
  std::vector<int> uses(graph.values.size(), 0), places(graph.nodes.size(), -1);
  for (const int index : graph.order)
    for (const int operand : graph.nodes[size_t(index)].operands)
      if (operand >= 0)
        ++uses[size_t(operand)];
  std::vector<int> last(graph.shared.size(), -1); // access of each group
  std::vector<int> kept;
  for (const int index : graph.order) {
    const PartGraph::Node &node = graph.nodes[size_t(index)];
    const int position = places[size_t(index)] = int(kept.size());
    const bool isStore = node.kind == PlannedOp::Kind::Store;
    const int group = node.group;
    if (isStore && group >= 0 && node.op->packShift == 0 && node.op->allCells) {
      PartGraph::Value &value = graph.values[size_t(node.operands[0])];
      const PartGraph::Node *from = value.node >= 0 ? &graph.nodes[size_t(value.node)] : nullptr;
      if (from && uses[size_t(node.operands[0])] == 1 &&
          lastUses[size_t(node.operands[0])] != kAtEnd &&
          from->kind != PlannedOp::Kind::CrossSublane && from->kind != PlannedOp::Kind::Load &&
          from->stage == node.stage && last[size_t(group)] < places[size_t(value.node)]) {
        value.place = Place{Place::Kind::Rows, 0, 0, node.argument};
        last[size_t(group)] = places[size_t(value.node)];
        stores.push_back({node.op, node.argument});
        continue;
      }
    }
    kept.push_back(index);
    if (group >= 0)
      last[size_t(group)] = position;
    else if (group == PartGraph::kSeveralGroups)
      std::ranges::fill(last, position);
  }
  graph.order = std::move(kept);
}

} // namespace systole::emulation
