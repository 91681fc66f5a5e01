// The graph of a part: values by their names, and the stages of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

#include "runtime/Emulator/Execution/CellUnits.h"
#include "runtime/Emulator/Plans/PartGraph.h"

namespace systole::emulation {

namespace {

using Node = PartGraph::Node;
using Value = PartGraph::Value;

class GraphBuilder {
public:
  GraphBuilder(const program::ProgramHeader &header, const std::vector<Op> &ops,
               const PlanRange &range, const ResultCounts &results)
      : header(header), ops(ops), range(range) {
    graph.found = results;
    graph.live = range.live;
    graph.registers.fill(-1);
    graph.entries.fill(-1);
  }

  std::optional<PartGraph> build();

private:
  // Operations that change the same state: stages, and turns.
  struct Chain {
    int swapped = 0, latched = 0, last = 0;
    int turn = 0;
  };
  // Loads and stores of a group of rows: their last stages, and the shift of packed rows.
  struct Access {
    int64_t begin, end; // rows of VMEM
    int stores = 0, all = 0;
    int shift = -1;
  };

  bool add(const Op &op, int32_t argument);
  void addOperands(Node &node, int32_t argument);
  void addResults(Node &node, int index);
  void setStage(Node &node);
  void setTurn(Node &node);
  void setAccess(Node &node);
  void findShared();
  void findNeeded();
  std::pair<int64_t, int64_t> rowsOf(const Op &op) const;
  int groupOf(const Op &op) const;
  int newValue(Value value);
  int current(int reg);
  // The value of a pop; -1 if there is none.
  int popped(const Op &op, int32_t argument);

  const program::ProgramHeader &header;
  const std::vector<Op> &ops;
  const PlanRange &range;
  PartGraph graph;
  std::array<Chain, PartGraph::kChains> chains{};
  std::vector<Access> accesses; // by group
};

} // namespace

static PlannedOp::Kind kindOf(const Op &op) {
  using Kind = PlannedOp::Kind;
  switch (op.handler) {
  case Handler::Lanes:
    return Kind::Lanes;
  case Handler::Eup:
  case Handler::Reduce:
  case Handler::GatherLanes:
    return Kind::Push;
  case Handler::Rotate:
    return Kind::Rotate;
  case Handler::Broadcast:
    return Kind::Broadcast;
  case Handler::Load:
    return Kind::Load;
  case Handler::Store:
    return Kind::Store;
  case Handler::CommitVector:
  case Handler::CommitMask:
    return Kind::Move;
  default:
    return Kind::CrossSublane;
  }
}

// The state that operations across sublanes change in their order; -1 for none.
static int chainOf(const Op &op) {
  switch (op.handler) {
  case Handler::Transpose:
  case Handler::TransposeEnd:
    return PartGraph::kTransposes;
  case Handler::Latch:
  case Handler::LatchTransposed:
  case Handler::LatchS8:
    return op.unit - kLatch;
  case Handler::Swap:
    return op.unit - kSwap;
  case Handler::Push:
  case Handler::PushS8:
  case Handler::PushWide:
    return op.unit - kMxu;
  default:
    return -1;
  }
}

//===----------------------------------------------------------------------===//
// Rows of VMEM
//===----------------------------------------------------------------------===//

// Groups the regions that stores reach, together with those that they overlap.
void GraphBuilder::findShared() {
  for (uint32_t i = range.begin; i < range.end; ++i)
    if (ops[i].cellTime == CellTime::Later && ops[i].handler == Handler::Store) {
      const auto [begin, end] = rowsOf(ops[i]);
      accesses.push_back({begin, end});
    }
  std::ranges::sort(accesses, {}, &Access::begin);
  size_t kept = 0;
  for (const Access &access : accesses)
    if (kept > 0 && access.begin < accesses[kept - 1].end)
      accesses[kept - 1].end = std::max(accesses[kept - 1].end, access.end);
    else
      accesses[kept++] = access;
  accesses.resize(kept);
  graph.shared.resize(kept);
}

std::pair<int64_t, int64_t> GraphBuilder::rowsOf(const Op &op) const {
  const program::Region &region = header.regions(op.aux);
  return {region.base(), region.base() + region.size()};
}

int GraphBuilder::groupOf(const Op &op) const {
  const auto [begin, end] = rowsOf(op);
  int found = PartGraph::kNoGroup;
  for (size_t i = 0; i < accesses.size(); ++i)
    if (begin < accesses[i].end && accesses[i].begin < end) {
      if (found >= 0)
        return PartGraph::kSeveralGroups;
      found = int(i);
    }
  return found;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

int GraphBuilder::newValue(Value value) {
  graph.values.push_back(value);
  return int(graph.values.size()) - 1;
}

int GraphBuilder::current(int reg) {
  int &value = graph.registers[size_t(reg)];
  if (value < 0)
    value = graph.entries[size_t(reg)] =
        newValue({.place = Place{Place::Kind::Register, 0, 0, offsetOfRegister(reg)}});
  return value;
}

int GraphBuilder::popped(const Op &op, int32_t argument) {
  PartGraph::Queue &queue = graph.queues[op.unit];
  const int index = queue.popped++;
  if (index < graph.found[op.unit]) {
    const int value =
        newValue({.place = Place{Place::Kind::Result, op.unit, 0, argument}, .slot = index});
    queue.entries.resize(size_t(graph.found[op.unit]), -1);
    queue.entries[size_t(index)] = value;
    return value;
  }
  const auto pushed = size_t(index - graph.found[op.unit]);
  return pushed < queue.pushed.size() ? queue.pushed[pushed] : -1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

// The operands that are registers, and scalars.
void GraphBuilder::addOperands(Node &node, int32_t argument) {
  const Op &op = *node.op;
  const bool accessesRows = op.handler == Handler::Load || op.handler == Handler::Store;
  const int count = !accessesRows ? op.operandCount : op.handler == Handler::Store;
  for (int i = 0; i < count; ++i) {
    if (op.scalars >> i & 1) {
      // Lanes read them as cells, others as arguments.
      if (op.handler == Handler::Lanes)
        node.operands[size_t(i)] = newValue({.place = Place{Place::Kind::Scalar, 0, 0, argument}});
      ++argument;
    } else {
      node.operands[size_t(i)] = current(registerAtOffset(op.operands[size_t(i)]));
    }
  }
  if (accessesRows)
    node.operands[1] = op.allCells ? -1 : current(kMaskBase + op.rowMask);
}

// A latch and a product between two swaps of weights may change places, and so may two products:
// then products follow each other, and are computed together.
void GraphBuilder::setTurn(Node &node) {
  Chain &chain = chains[size_t(node.chain)];
  if (node.chain == PartGraph::kTransposes || node.op->handler == Handler::Swap) {
    node.stage = chain.swapped = chain.latched = chain.last = std::max(node.stage, chain.last);
    node.turn = chain.turn + 2;
    chain.turn += 3;
    return;
  }
  const bool isPush = isProduct(*node.op);
  node.stage = std::max(node.stage, isPush ? chain.swapped : chain.latched);
  chain.last = std::max(chain.last, node.stage);
  if (!isPush)
    chain.latched = node.stage;
  node.turn = chain.turn + isPush;
}

// The stage of an operation follows those of its operands, and of what it may not pass.
void GraphBuilder::setStage(Node &node) {
  const bool isCross = node.kind == PlannedOp::Kind::CrossSublane;
  for (const int operand : node.operands)
    if (operand >= 0 && graph.values[size_t(operand)].node >= 0) {
      const Node &from = graph.nodes[size_t(graph.values[size_t(operand)].node)];
      node.stage = std::max(node.stage, from.stage + (from.kind == PlannedOp::Kind::CrossSublane));
    }
  if (isCross && (node.chain = chainOf(*node.op)) >= 0)
    setTurn(node);
}

void GraphBuilder::setAccess(Node &node) {
  const bool isStore = node.kind == PlannedOp::Kind::Store;
  node.group = groupOf(*node.op);
  if (node.group == PartGraph::kNoGroup)
    return; // a load, which waits for nothing
  if (node.group == PartGraph::kSeveralGroups) {
    // In order with all of them.
    graph.isInOrder = true;
    for (const Access &access : accesses)
      node.stage = std::max(node.stage, access.all);
    for (Access &access : accesses)
      access.stores = access.all = node.stage;
    return;
  }
  Access &access = accesses[size_t(node.group)];
  node.stage = std::max(node.stage, isStore ? access.all : access.stores);
  access.all = std::max(access.all, node.stage);
  if (isStore)
    access.stores = node.stage;
  if (access.shift >= 0 && access.shift != node.op->packShift)
    graph.isInOrder = true;
  access.shift = node.op->packShift;
  graph.shared[size_t(node.group)].push_back({node.argument, isStore});
}

void GraphBuilder::addResults(Node &node, int index) {
  const Op &op = *node.op;
  for (int i = 0; i < resultCount(op); ++i) {
    PartGraph::Queue &queue = graph.queues[op.unit];
    const int slot = graph.found[op.unit] + int(queue.pushed.size());
    const int argument = node.argument + argumentCount(op) - 1;
    const int value =
        newValue({.slotPlace = Place{Place::Kind::Result, op.unit, uint8_t(i), argument},
                  .node = index,
                  .slot = slot});
    node.results.push_back(value);
    queue.pushed.push_back(value);
  }
  if (writesVectorOrMask(op)) {
    node.results.push_back(newValue({.node = index}));
    graph.registers[size_t(registerAtOffset(op.destOffset))] = node.results.back();
  }
}

bool GraphBuilder::add(const Op &op, int32_t argument) {
  if (op.handler == Handler::PopVector) {
    const int value = popped(op, argument);
    graph.registers[size_t(registerAtOffset(op.destOffset))] = value;
    return value >= 0;
  }
  if (op.handler == Handler::CommitVector || op.handler == Handler::CommitMask) {
    // A name, unless it is what a register held before the part, which may be overwritten.
    const int value = current(registerAtOffset(op.operands[0]));
    if (graph.values[size_t(value)].node >= 0 ||
        graph.values[size_t(value)].place->kind != Place::Kind::Register) {
      graph.registers[size_t(registerAtOffset(op.destOffset))] = value;
      return true;
    }
  }
  if (op.handler == Handler::Load && op.packShift == 0 && op.allCells &&
      groupOf(op) == PartGraph::kNoGroup) {
    graph.registers[size_t(registerAtOffset(op.destOffset))] =
        newValue({.place = Place{Place::Kind::Rows, 0, 0, argument}});
    return true;
  }
  Node node;
  node.op = &op;
  node.kind = kindOf(op);
  node.argument = argument;
  addOperands(node, argument);
  setStage(node);
  if (node.kind == PlannedOp::Kind::Load || node.kind == PlannedOp::Kind::Store)
    setAccess(node);
  addResults(node, int(graph.nodes.size()));
  graph.nodes.push_back(std::move(node));
  return true;
}

// Leaves out operations whose results nobody reads.
void GraphBuilder::findNeeded() {
  std::vector<bool> isRead(graph.values.size(), false);
  for (int reg = kVectorBase; reg < kRegisters; ++reg)
    if (graph.writes(reg))
      isRead[size_t(graph.registers[size_t(reg)])] = true;
  for (size_t unit = 0; unit < graph.queues.size(); ++unit) {
    const PartGraph::Queue &queue = graph.queues[unit];
    for (size_t i = 0; i < queue.pushed.size(); ++i)
      if (queue.stays(i, graph.found[unit]))
        isRead[size_t(queue.pushed[i])] = true;
  }
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node &node = graph.nodes[i];
    const bool isNeeded =
        node.kind == PlannedOp::Kind::Store || node.chain >= 0 ||
        std::ranges::any_of(node.results, [&](int value) { return isRead[size_t(value)]; });
    if (!isNeeded)
      continue;
    graph.order.push_back(int(i));
    for (const int operand : node.operands)
      if (operand >= 0)
        isRead[size_t(operand)] = true;
  }
  std::ranges::reverse(graph.order);
}

std::optional<PartGraph> GraphBuilder::build() {
  findShared();
  int32_t argument = 0;
  for (uint32_t i = range.begin; i < range.end; ++i) {
    if (ops[i].cellTime != CellTime::Later)
      continue;
    if (!add(ops[i], argument))
      return std::nullopt;
    argument += argumentCount(ops[i]);
  }
  findNeeded();
  std::ranges::stable_sort(graph.order, [&](int a, int b) {
    auto key = [&](int i) {
      const Node &node = graph.nodes[size_t(i)];
      const bool isCross = node.kind == PlannedOp::Kind::CrossSublane;
      return isCross ? std::tuple(node.stage, true, node.chain, node.turn)
                     : std::tuple(node.stage, false, 0, 0);
    };
    return key(a) < key(b);
  });
  return std::move(graph);
}

std::optional<PartGraph> makeGraph(const program::ProgramHeader &header, const std::vector<Op> &ops,
                                   const PlanRange &range, const ResultCounts &results) {
  return GraphBuilder(header, ops, range, results).build();
}

} // namespace systole::emulation
