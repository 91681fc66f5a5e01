// The places and steps of a job, and its operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Plans/PlanJob.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>

#include "runtime/Emulator/Execution/CellUnits.h"

namespace systole::emulation {

// Room that is made for temporaries when more are needed.
static constexpr size_t kTemporariesAtOnce = 1024;
// Fewer operations on all sublanes take less time than their distribution.
static constexpr int kLeastOpsOfTask = 3;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

// Copies sublanes to a register.
static uint32_t *gather(const uint32_t *rows, int64_t step, uint32_t *to) {
  for (int s = 0; s < isa::kSublanes; ++s)
    std::memcpy(to + s * isa::kLanes, rows + s * step, isa::kRowBytes);
  return to;
}

// Brings a row into the first cache.
static void fetch(const uint32_t *row) {
  constexpr int line = 64 / sizeof(uint32_t);
  for (int l = 0; l < isa::kLanes; l += line)
    __builtin_prefetch(row + l);
}

void PlanJob::locate() {
  LazyVector<SpacedRegister> &temporaries = core->temporaries;
  if (size_t(plan->temporaries) > temporaries.size()) {
    temporaries = {};
    temporaries.resize((size_t(plan->temporaries) / kTemporariesAtOnce + 1) * kTemporariesAtOnce);
  }
  cells.resize(plan->places.size());
  Cells *at = cells.data();
  for (const Place &place : plan->places) {
    switch (place.kind) {
    case Place::Kind::None:
      *at = {nullptr, 0, true};
      break;
    case Place::Kind::Register:
      *at = {core->registerAt(place.value), isa::kLanes, true};
      break;
    case Place::Kind::Temporary:
      *at = {temporaries[size_t(place.value)].cells, isa::kLanes, true};
      break;
    case Place::Kind::Result: {
      Fifo &fifo = core->state.fifos[place.unit];
      const int slot = int(arguments[place.value]) + place.ahead;
      *at = {fifo.slot(slot < fifo.depth ? slot : slot - fifo.depth), isa::kLanes, true};
      break;
    }
    case Place::Kind::Rows:
      // Packed rows are not accessed by their place, but fetched.
      *at = {core->memory.vmem() + (arguments[place.value] >> place.ahead) * isa::kLanes,
             (arguments[place.value + 1] * isa::kLanes) >> place.ahead,
             arguments[place.value + 1] == 1};
      if (place.gathered >= 0 && at->step != isa::kLanes)
        *at = {gather(at->base, at->step, temporaries[size_t(place.gathered)].cells), isa::kLanes,
               true};
      break;
    case Place::Kind::Scalar:
      // The low half of an argument comes first.
      *at = {const_cast<uint32_t *>(reinterpret_cast<const uint32_t *>(arguments + place.value)), 0,
             true};
      break;
    }
    ++at;
  }
  for (const RowAccess &store : plan->stores)
    noteStores(*core, *store.op, arguments + store.argument);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {

// Accesses of the same stride. Sublanes of two of them touch the same row if their first rows are a
// multiple of the stride apart, but by less than eight of them.
class StridedRows {
public:
  explicit StridedRows(int64_t stride) : stride(stride), phases(size_t(std::abs(stride)), -1) {}

  int64_t stride;
  int64_t low = INT64_MAX, high = INT64_MIN; // rows
  bool hasStore = false;

  // Whether the first rows that are multiples of the stride apart are multiples of eight strides
  // apart, with another one. Those of sublanes that a mask leaves out may be outside of VMEM.
  bool add(int64_t row, bool isStore) {
    const int64_t last = row + (isa::kSublanes - 1) * stride, least = std::min(row, last);
    low = std::min(low, least);
    high = std::max(high, std::max(row, last));
    hasStore |= isStore;
    // A multiple of eight strides makes rows positive.
    const auto distance = uint64_t(std::abs(stride)), place = uint64_t(least) + (distance << 40);
    int8_t &phase = phases[place % distance];
    const auto mine = int8_t(place / distance % isa::kSublanes);
    if (phase < 0)
      phase = mine;
    return phase == mine;
  }

private:
  std::vector<int8_t> phases; // by the rest of the division of rows by the stride
};

} // namespace

static constexpr int64_t kMostStride = 4096;
static constexpr size_t kMostStrides = 4;

// Whether sublanes may touch rows of each other.
static bool crosses(const std::vector<SharedRows> &group, const int64_t *arguments) {
  std::vector<StridedRows> strides;
  for (const SharedRows &rows : group) {
    const int64_t row = arguments[rows.argument], stride = arguments[rows.argument + 1];
    auto same = std::ranges::find(strides, stride, &StridedRows::stride);
    if (same == strides.end()) {
      if (stride == 0 || std::abs(stride) > kMostStride || strides.size() == kMostStrides)
        return true;
      same = strides.insert(same, StridedRows(stride));
    }
    if (!same->add(row, rows.isStore))
      return true;
  }
  for (size_t i = 0; i < strides.size(); ++i)
    for (size_t j = i + 1; j < strides.size(); ++j)
      if ((strides[i].hasStore || strides[j].hasStore) && strides[i].low <= strides[j].high &&
          strides[j].low <= strides[i].high)
        return true;
  return false;
}

// Tasks of which none accesses rows that another one stores.
int PlanJob::mostTasks() const {
  if (plan->inOrder || std::ranges::any_of(plan->shared, [&](const auto &group) {
        return crosses(group, arguments);
      }))
    return 1;
  int most = isa::kSublanes;
  for (const auto &[op, argument] : plan->stores) {
    const int64_t row = arguments[argument], stride = arguments[argument + 1];
    const int shift = op->packShift;
    if (shift == 0 ? stride == 0 : stride != 1 || row % (1 << shift) != 0)
      return 1;
    most = std::min(most, isa::kSublanes >> shift);
  }
  return most;
}

void PlanJob::addSteps(int threads) {
  list.clear();
  const int most = threads > 1 ? std::min(mostTasks(), 2 * threads) : 1;
  for (size_t number = 0; number < plan->stages.size(); ++number) {
    const Stage &stage = plan->stages[number];
    const int count = stage.cross - stage.begin;
    if (count > 0) {
      // Threads take tasks as they come to them.
      int tasks = 1;
      while (2 * tasks <= most && count >= 2 * tasks * kLeastOpsOfTask)
        tasks *= 2;
      list.push_back({Step::Kind::Sublanes, stage.begin, stage.cross, tasks, int32_t(number)});
    }
    for (int32_t i = stage.cross; i < stage.end;) {
      const PlannedOp &op = plan->ops[size_t(i)];
      const int32_t begin = i++;
      if (!isProduct(*op.op)) {
        while (i < stage.end && !isProduct(*plan->ops[size_t(i)].op))
          ++i;
        list.push_back({Step::Kind::CrossSublane, begin, i, 1});
        continue;
      }
      while (i < stage.end && plan->ops[size_t(i)].joins &&
             arguments[plan->ops[size_t(i)].argument] == arguments[op.argument])
        ++i;
      // As many registers for each thread.
      const int registers = i - begin, rounds = threads * kRegistersAtOnce;
      const int groups = std::min(registers, (registers + rounds - 1) / rounds * threads);
      list.push_back({Step::Kind::Products, begin, i, groups * op.op->count});
    }
  }
}

void PlanJob::prepare(Core &on, const Plan &of, const int64_t *with, int threads) {
  core = &on;
  plan = &of;
  arguments = with;
  locate();
  addSteps(threads);
}

void PlanJob::run(int number, int task) {
  const Step &step = list[size_t(number)];
  switch (step.kind) {
  case Step::Kind::Sublanes: {
    const int count = isa::kSublanes / step.tasks;
    return runSublanes(step, task * count, count);
  }
  case Step::Kind::CrossSublane:
    for (int32_t i = step.begin; i < step.end; ++i)
      runCrossSublane(plan->ops[size_t(i)]);
    return;
  case Step::Kind::Products:
    return runProducts(step, task);
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void PlanJob::runRows(const PlannedOp &op, uint32_t *const *at, int sublane, int count) const {
  const int64_t *of = arguments + op.argument;
  const bool isStore = op.kind == PlannedOp::Kind::Store;
  const PlaceIndex registers = isStore ? op.operands[0] : op.d;
  const Cells &mask = cells[op.operands[1]];
  for (int s = 0; s < count; ++s) {
    uint32_t *row = at[registers] + s * cells[registers].step;
    const uint32_t *enabled = mask.base ? at[op.operands[1]] + s * mask.step : nullptr;
    const int64_t where = of[0] + (sublane + s) * of[1];
    if (!(of[2] >> (sublane + s) & 1)) {
      if (!isStore)
        std::memset(row, 0, isa::kRowBytes);
    } else if (isStore) {
      storeRow(*core, *op.op, row, where, enabled);
    } else {
      loadRow(*core, *op.op, row, where, enabled);
    }
  }
}

// An operation on the cells of `count` sublanes that lie side by side.
void PlanJob::runCells(const PlannedOp &op, uint32_t *d, const uint32_t *a, const uint32_t *b,
                       const uint32_t *c, int sublane, int count) const {
  switch (op.kind) {
  case PlannedOp::Kind::Lanes:
    return op.op->lanes(d, a, b, c, {sublane, count});
  case PlannedOp::Kind::Push:
    return op.op->push(d, a, b, {sublane, count});
  case PlannedOp::Kind::Rotate:
    return rotateLanes(d, a, uint64_t(arguments[op.argument]), count);
  case PlannedOp::Kind::Broadcast:
    return broadcastLane(d, a, uint64_t(arguments[op.argument]), count);
  case PlannedOp::Kind::Move:
    std::memcpy(d, a, size_t(count) * isa::kRowBytes);
    return;
  default:
    assert(false && "an operation of cells");
  }
}

// `at` has, by place, the cells of the first one of some sublanes.
void PlanJob::runInside(const PlannedOp &op, uint32_t *const *at, int sublane, int count) const {
  if (op.kind == PlannedOp::Kind::Load || op.kind == PlannedOp::Kind::Store)
    return runRows(op, at, sublane, count);
  const auto [a, b, c] = op.operands;
  if (!op.hasRows ||
      (cells[op.d].isDense && cells[a].isDense && cells[b].isDense && cells[c].isDense))
    return runCells(op, at[op.d], at[a], at[b], at[c], sublane, count);
  for (int s = 0; s < count; ++s)
    runCells(op, at[op.d] + s * cells[op.d].step, at[a] + s * cells[a].step,
             at[b] + s * cells[b].step, at[c] + s * cells[c].step, sublane + s, 1);
}

static uint32_t **pointers(size_t places) {
  thread_local std::vector<uint32_t *> table;
  if (table.size() < places)
    table.resize(places);
  return table.data();
}

void PlanJob::runSublanes(const Step &step, int first, int count) const {
  uint32_t **at = pointers(cells.size());
  const Stage &stage = plan->stages[size_t(step.stage)];
  at[kNoPlace] = nullptr;
  for (const PlaceIndex place : stage.places)
    at[place] = cells[place].base + first * cells[place].step;
  const PlannedOp *ops = plan->ops.data();
  const Fetch *next = stage.fetches.data(), *end = next + stage.fetches.size();
  for (int32_t i = stage.begin; i < stage.cross; ++i) {
    for (; next != end && next->before == i; ++next)
      for (int row = 0; row < count; ++row)
        fetch(at[next->place] + row * cells[next->place].step);
    runInside(ops[i], at, first, count);
  }
}

void PlanJob::runCrossSublane(const PlannedOp &planned) const {
  const Op &op = *planned.op;
  const int64_t *of = arguments + planned.argument;
  uint32_t *d = cells[planned.d].base;
  const uint32_t *a = cells[planned.operands[0]].base;
  switch (op.handler) {
  case Handler::RotateSublanes:
    return rotateSublanes(*core, d, a, uint64_t(of[0]));
  case Handler::GatherSublanes: {
    const uint32_t *index = cells[planned.operands[1]].base;
    return gatherSublanes(*core, d, a, index, index ? 0 : uint64_t(of[0]));
  }
  case Handler::Transpose:
  case Handler::TransposeEnd: {
    uint32_t *to[kMostResults];
    for (int i = 0; i < op.count; ++i)
      to[i] = cells[size_t(planned.d) + size_t(i)].base;
    return transpose(*core, op, a, int(of[0]), to);
  }
  case Handler::ToScalar:
    *d = cellOf(a, of[0], of[1]);
    return;
  case Handler::Latch:
  case Handler::LatchTransposed:
  case Handler::LatchS8:
    return latchRows(*core, op, rowsAt(planned.operands[0]), int(of[0]));
  case Handler::Swap:
    return makeCurrent(*core, op, int(of[0]), int(of[1]));
  default:
    assert(false && "products are computed together");
  }
}

void PlanJob::runProducts(const Step &step, int task) const {
  const PlannedOp *first = &plan->ops[size_t(step.begin)];
  const Op &op = *first->op;
  const int tile = task % op.count, group = task / op.count, groups = step.tasks / op.count;
  const int registers = step.end - step.begin;
  const int begin = registers * group / groups, count = registers * (group + 1) / groups - begin;
  assert(count <= kRegistersAtOnce && "a group is small enough");
  uint32_t *results[kRegistersAtOnce];
  CellRows rows[kRegistersAtOnce];
  for (int i = 0; i < count; ++i) {
    const PlannedOp &each = first[begin + i];
    results[i] = cells[size_t(each.d) + size_t(tile)].base;
    rows[i] = rowsAt(each.operands[size_t(tile % depthsOf(op))]);
  }
  multiply(*core, op, tile, {results, rows, count, int(arguments[first->argument])});
}

} // namespace systole::emulation
