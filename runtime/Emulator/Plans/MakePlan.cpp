// The operations of a plan, with their places.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>
#include <utility>

#include "runtime/Emulator/Plans/PartGraph.h"
#include "runtime/Emulator/Plans/Places.h"

namespace systole::emulation {

// Values that live at the same time should stay in the host's caches.
static constexpr int kMostTemporaries = 256;
static constexpr size_t kMostPlaces = 60000; // of 16 bits, and a few moves at the end
// Nanoseconds that an operation on a whole register takes, measured on one host
// (docs/decisions/block-plans.md): on lanes; of the other units, but for rotations; a product; a
// load, a store or a move.
static constexpr int64_t kLanesTime = 80, kPushTime = 400, kProductTime = 3000, kMoveTime = 200;
// And those before an execution of a plan: for all of it, and for each of its places.
static constexpr int64_t kPreparationTime = 150, kPlaceTime = 8;
// Operations before that of rows which may be in a farther cache.
static constexpr int kFetchedAhead = 4;

// Nanoseconds of an instruction's cells, if they are computed alone.
static int64_t timeOf(const Op &op) {
  switch (op.handler) {
  case Handler::Lanes:
  case Handler::Rotate:
  case Handler::Broadcast:
    return kLanesTime;
  case Handler::GatherLanes:
  case Handler::Reduce:
  case Handler::Eup:
    return kPushTime;
  case Handler::Load:
  case Handler::Store:
  case Handler::PopVector:
  case Handler::CommitVector:
  case Handler::CommitMask:
    return kMoveTime;
  default:
    return isProduct(op) ? kProductTime * op.count : 0;
  }
}

// Whether it reads the rows of its operand wherever these are.
static bool readsRows(const Op &op) {
  return isProduct(op) || op.handler == Handler::Latch || op.handler == Handler::LatchTransposed ||
         op.handler == Handler::LatchS8;
}

namespace {

class PlanEmitter {
public:
  PlanEmitter(PartGraph &graph, const ResultCounts &depths)
      : graph(graph), places(graph, depths, plan.stores), indexes(graph.values.size(), kNoPlace) {
    plan.places.emplace_back(); // none
  }

  std::optional<Plan> build();

private:
  PlaceIndex indexOf(int value);
  // False if the plan would need too many places.
  bool emit();
  void add(const PartGraph::Node &node, int position);
  void addFinalMoves();
  void listPlaces();
  void estimate();

  PartGraph &graph;
  Plan plan;
  PlaceAssigner places;
  std::vector<PlaceIndex> indexes; // of values
  int gathered = 0;                // places
};

} // namespace

PlaceIndex PlanEmitter::indexOf(int value) {
  PlaceIndex &index = indexes[size_t(value)];
  if (index == kNoPlace) {
    index = PlaceIndex(plan.places.size());
    plan.places.push_back(*graph.values[size_t(value)].place);
  }
  return index;
}

bool PlanEmitter::emit() {
  int stage = -1;
  for (size_t i = 0; i < graph.order.size(); ++i) {
    const PartGraph::Node &node = graph.nodes[size_t(graph.order[i])];
    const bool isCross = node.kind == PlannedOp::Kind::CrossSublane;
    if (node.stage != std::exchange(stage, node.stage))
      plan.stages.push_back({int32_t(i), int32_t(i), int32_t(i)});
    ++plan.stages.back().end;
    if (!isCross)
      plan.stages.back().cross = plan.stages.back().end;
    if (places.temporaries() > kMostTemporaries || plan.places.size() > kMostPlaces)
      return false;
    add(node, places.positionOf(i));
    plan.ops.back().joins = places.positionOf(i) != int(i);
  }
  return true;
}

void PlanEmitter::add(const PartGraph::Node &node, int position) {
  using Kind = PlannedOp::Kind;
  const bool isStore = node.kind == Kind::Store;
  const bool needsRegister = node.kind == Kind::CrossSublane && !readsRows(*node.op);
  PlannedOp planned;
  planned.kind = isStore && node.op->packShift == 0 && node.op->allCells ? Kind::Move : node.kind;
  planned.argument = node.argument;
  planned.op = node.op;
  for (size_t i = 0; i < node.operands.size(); ++i)
    if (node.operands[i] >= 0) {
      planned.operands[i] = indexOf(node.operands[i]);
      Place &place = plan.places[planned.operands[i]];
      if (needsRegister && place.kind == Place::Kind::Rows && place.gathered < 0)
        place.gathered = gathered++;
    }
  for (const int result : node.results)
    places.assign(result, position, node.kind == Kind::Lanes || node.kind == Kind::Move);
  for (size_t i = 0; i < node.results.size(); ++i) {
    // Those of one operation have places that follow each other.
    const PlaceIndex index = indexOf(node.results[i]);
    planned.d = i == 0 ? index : planned.d;
    assert(index == planned.d + i && "an operation's results are new values");
  }
  if (isStore) {
    plan.stores.push_back({node.op, node.argument});
    planned.d = PlaceIndex(plan.places.size());
    plan.places.push_back({Place::Kind::Rows, 0, node.op->packShift, node.argument});
  }
  plan.ops.push_back(planned);
}

void PlanEmitter::addFinalMoves() {
  // They follow what is inside of sublanes.
  if (!plan.stages.empty() && plan.stages.back().cross != plan.stages.back().end)
    plan.stages.push_back(
        {int32_t(plan.ops.size()), int32_t(plan.ops.size()), int32_t(plan.ops.size())});
  auto move = [&](const Place &to, int value) {
    if (plan.stages.empty())
      plan.stages.push_back({0, 0, 0});
    PlannedOp planned;
    planned.kind = PlannedOp::Kind::Move;
    planned.d = PlaceIndex(plan.places.size());
    plan.places.push_back(to);
    planned.operands[0] = indexOf(value);
    plan.ops.push_back(planned);
    plan.stages.back().cross = plan.stages.back().end = int32_t(plan.ops.size());
  };
  for (int reg = kVectorBase; reg < kRegisters; ++reg) {
    if (!graph.writes(reg))
      continue;
    const int value = graph.registers[size_t(reg)];
    const Place home{Place::Kind::Register, 0, 0, offsetOfRegister(reg)};
    const Place &is = *graph.values[size_t(value)].place;
    if (is.kind != Place::Kind::Register || is.value != home.value)
      move(home, value);
  }
  // Behind those to registers, of which some read what the part found in the slots.
  for (size_t i = 0; i < graph.values.size(); ++i)
    if (const PartGraph::Value &value = graph.values[i];
        places.staysInFifo(int(i)) && value.place->kind != Place::Kind::Result)
      move(value.slotPlace, int(i));
}

void PlanEmitter::estimate() {
  using Kind = PlannedOp::Kind;
  for (const PlannedOp &op : plan.ops)
    if (op.kind == Kind::Load || op.kind == Kind::Store || op.kind == Kind::Move)
      plan.movement += kMoveTime;
    else
      plan.arithmetic += timeOf(*op.op);
}

void PlanEmitter::listPlaces() {
  for (Stage &stage : plan.stages) {
    for (int32_t i = stage.begin; i < stage.cross; ++i) {
      const PlannedOp &op = plan.ops[size_t(i)];
      for (const PlaceIndex place : {op.d, op.operands[0], op.operands[1], op.operands[2]})
        if (place != kNoPlace)
          stage.places.push_back(place);
    }
    std::ranges::sort(stage.places);
    const auto repeated = std::ranges::unique(stage.places);
    stage.places.erase(repeated.begin(), repeated.end());
    const auto isRows = [&](PlaceIndex place) {
      return plan.places[place].kind == Place::Kind::Rows;
    };
    for (int32_t i = stage.begin; i < stage.cross; ++i) {
      PlannedOp &op = plan.ops[size_t(i)];
      for (const PlaceIndex place : {op.d, op.operands[0], op.operands[1], op.operands[2]})
        if (isRows(place)) {
          op.hasRows = true;
          stage.fetches.push_back({std::max(stage.begin, i - kFetchedAhead), place});
        }
    }
  }
}

std::optional<Plan> PlanEmitter::build() {
  if (!emit())
    return std::nullopt;
  addFinalMoves();
  // The rows that are moved to temporaries have one each, behind those of others.
  plan.temporaries = places.temporaries() + gathered;
  for (Place &place : plan.places)
    if (place.gathered >= 0)
      place.gathered += places.temporaries();
  plan.inOrder = graph.isInOrder;
  listPlaces();
  estimate();
  for (std::vector<SharedRows> &group : graph.shared)
    if (group.size() > 1)
      plan.shared.push_back(std::move(group));
  for (size_t unit = 0; unit < graph.queues.size(); ++unit)
    if (graph.queues[unit].popped > 0 || !graph.queues[unit].pushed.empty())
      plan.results.emplace_back(uint8_t(unit), graph.found[unit]);
  return std::move(plan);
}

std::optional<Plan> makePlan(const program::ProgramHeader &header, const std::vector<Op> &ops,
                             const PlanRange &range, const ResultCounts &results,
                             const ResultCounts &depths) {
  std::optional<PartGraph> graph = makeGraph(header, ops, range, results);
  std::optional<Plan> plan = graph ? PlanEmitter(*graph, depths).build() : std::nullopt;
  if (!plan)
    return std::nullopt;
  int64_t alone = 0;
  for (uint32_t i = range.begin; i < range.end; ++i)
    if (ops[i].cellTime == CellTime::Later) {
      alone += timeOf(ops[i]);
      ++plan->instructions;
    }
  const int64_t prepared = kPreparationTime + kPlaceTime * int64_t(plan->places.size());
  plan->pays = plan->paysToShare() || plan->arithmetic + plan->movement + prepared < alone;
  return plan;
}

} // namespace systole::emulation
