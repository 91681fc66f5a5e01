// The description of a core's state, for the writer and for the reader of archives.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Capture.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/Emulator/Code/Liveness.h"
#include "runtime/Emulator/Execution/CheckState.h"
#include "runtime/Emulator/State/Archive.h"

namespace systole::emulation {
namespace {

template <typename Archive> void describePattern(Archive &archive, auto &pattern) {
  archive.value("space", pattern.space);
  archive.value("base", pattern.base);
  archive.value("chunk", pattern.chunk);
  archive.value("levels", pattern.levels);
  archive.value("counts", pattern.counts);
  archive.value("strides", pattern.strides);
}

template <typename Archive> void describeControl(Archive &archive, auto &control) {
  archive.value("block", control.block);
  archive.value("bundle", control.bundle);
  archive.value("resumeAt", control.resumeAt);
  archive.value("value", control.value);
  archive.value("inherited", control.inherited);
  archive.value("loops", control.loops);
  archive.list("calls", control.calls, [](auto &to, auto &call) {
    to.value("back", call.back);
    to.value("kernel", call.kernel);
    to.value("loops", call.loops);
  });
  archive.value("overlays", control.overlays);
}

template <typename Archive> void describeCopies(Archive &archive, auto &state) {
  archive.list("inFlight", state.copies.inFlight, [](auto &to, auto &copy) {
    to.value("begin", copy.begin);
    to.value("finish", copy.finish);
    to.value("flag", copy.flag);
    to.members("src.", [&] { describePattern(to, copy.src); });
    to.members("dst.", [&] { describePattern(to, copy.dst); });
    to.value("ownsSrc", copy.ownsSrc);
    to.value("ownsDst", copy.ownsDst);
    to.value("ticket", copy.ticket);
  });
  auto &channels = state.copies.channels;
  archive.value("hbmFree", channels.hbm);
  archive.value("overlaysFree", channels.overlays);
  archive.value("localFree", channels.local);
  archive.value("toHostFree", channels.toHost);
  archive.value("fromHostFree", channels.fromHost);
  archive.value("sent", channels.sent);
  archive.value("hostMessages", state.copies.hostMessages);
  archive.value("sends", state.copies.sends);
  archive.list("inbox", state.inbox, [](auto &to, auto &message) {
    to.value("begin", message.begin);
    to.value("arrival", message.arrival);
    to.value("from", message.from);
    to.value("occupied", message.occupied);
    to.value("owns", message.owns);
    to.value("isArriving", message.isArriving);
    to.value("flag", message.flag);
    to.value("add", message.add);
    to.members("where.", [&] { describePattern(to, message.where); });
    to.value("words", message.words);
  });
}

//===----------------------------------------------------------------------===//
// Units: in an order that does not depend on their history or on the host
//===----------------------------------------------------------------------===//

constexpr size_t kRegisterBytes = size_t(kCells) * 4;

// Those that are live, from `first` on in the set, and not zero.
template <typename Archive>
void describeRegisters(Archive &archive, std::string_view name, auto *registers, int count,
                       const RegisterSet &live, int first) {
  std::vector<int32_t> numbers;
  if constexpr (!Archive::kReads)
    for (int i = 0; i < count; ++i)
      if (live[size_t(first + i)] &&
          std::any_of(registers[i], registers[i] + kCells, [](uint32_t cell) { return cell != 0; }))
        numbers.push_back(i);
  archive.value(name, numbers);
  if constexpr (Archive::kReads)
    for (int i = 0; i < count; ++i)
      std::fill_n(registers[i], kCells, 0);
  for (const int32_t number : numbers)
    if (number >= 0 && number < count)
      archive.bytes(elementName(name, size_t(number)), registers[number], kRegisterBytes);
}

template <typename Archive> void describeFifo(Archive &archive, auto &fifo) {
  archive.value("count", fifo.count);
  if (fifo.count < 0 || fifo.count > fifo.depth) {
    if constexpr (Archive::kReads)
      fifo.count = 0;
    return;
  }
  if constexpr (Archive::kReads)
    fifo.head = 0;
  for (int i = 0; i < fifo.count; ++i) {
    const auto place = size_t(fifo.place(i));
    archive.value("ready", fifo.ready[place]);
    archive.bytes("result", fifo.results[place].cells, kRegisterBytes);
  }
}

// Weights of a tile below `rows` and `columns`, and those of groups that a latch holds.
struct WeightsInUse {
  int rows = 0, columns = 0;
  uint32_t rowGroups = 0, columnGroups = 0;

  bool any() const { return (rows > 0 && columns > 0) || rowGroups || columnGroups; }
  bool has(int row, int column) const {
    return (row < rows && column < columns) || rowGroups >> row / isa::kSublanes & 1 ||
           columnGroups >> column / isa::kSublanes & 1;
  }
};

template <typename Archive>
void describeWeights(Archive &archive, const KernelTable &table, auto &weights, bool integers,
                     const WeightsInUse &used) {
  if (!used.any())
    return;
  std::vector<VectorRegister> rows(kGroupsPerTile);
  if constexpr (!Archive::kReads) {
    for (int group = 0; group < int(rows.size()); ++group) {
      uint32_t *cells = rows[size_t(group)].cells;
      (integers ? table.readWeightsS8 : table.readWeights)(cells, weights.data(), group);
      for (int i = 0; i < kCells; ++i)
        if (!used.has(group * isa::kSublanes + i / isa::kLanes, i % isa::kLanes))
          cells[i] = 0;
    }
  }
  archive.bytes("weights", rows.data(), rows.size() * kRegisterBytes);
  if constexpr (Archive::kReads)
    for (int group = 0; group < int(rows.size()); ++group)
      (integers ? table.latchS8 : table.latch)(weights.data(), rows[size_t(group)].cells, group);
}

template <typename Archive>
void describeMxu(Archive &archive, const KernelTable &table, auto &mxu) {
  archive.value("k", mxu.k);
  archive.value("n", mxu.n);
  archive.value("integers", mxu.integers);
  archive.value("currentIntegers", mxu.currentIntegers);
  archive.value("latchReady", mxu.latchReady);
  if constexpr (Archive::kReads) {
    // Weights below these extents follow.
    const int size = mxu.tilesPerSide * kTileSize;
    if (mxu.k < 0 || mxu.k > size || mxu.n < 0 || mxu.n > size)
      return archive.refuse("k");
  }
  for (int depth = 0; depth < mxu.tilesPerSide; ++depth)
    for (int column = 0; column < mxu.tilesPerSide; ++column) {
      auto &tile = mxu.tiles[size_t(column * mxu.tilesPerSide + depth)];
      archive.value("rowGroups", tile.rowGroups);
      archive.value("columnGroups", tile.columnGroups);
      describeWeights(archive, table, tile.weights[mxu.current], mxu.currentIntegers,
                      {extentIn(depth, mxu.k), extentIn(column, mxu.n), 0, 0});
      describeWeights(archive, table, tile.weights[1 - mxu.current], mxu.integers,
                      {0, 0, tile.rowGroups, tile.columnGroups});
    }
}

// Dead registers are no part of the state: executors need not compute them. Of a state that is
// read, the place in the program is not known to be one.
RegisterSet liveRegisters(const Core &core) {
  const ControlState &control = core.state.control;
  const Code &code = core.code();
  RegisterSet all;
  all.set();
  if (core.keepsDeadRegisters || control.block < 0 || size_t(control.block) >= code.blocks.size())
    return all;
  const Block &b = code.blocks[size_t(control.block)];
  const int32_t bundle = core.state.run != RunState::Running ? b.end
                         : control.resumeAt >= 0             ? control.resumeAt
                                                             : b.begin;
  if (bundle < b.begin || bundle > b.end)
    return all;
  RegisterSet live = liveBefore(code, size_t(control.block), code.bundles[size_t(bundle)].firstOp);
  live.set(kMaskBase); // m0, which all may read
  return live;
}

template <typename Archive> void describeUnits(Archive &archive, auto &core) {
  auto &state = core.state;
  const RegisterSet live = liveRegisters(core);
  describeRegisters(archive, "vector", state.registers.v, isa::kVectorRegisters, live, kVectorBase);
  describeRegisters(archive, "mask", state.registers.m, isa::kMaskRegisters, live, kMaskBase);
  archive.bytes("scalars", state.registers.s, sizeof(state.registers.s));
  archive.value("ready", state.ready);
  archive.value("freeAt", state.freeAt);
  for (int i = 0; i < kFifos; ++i)
    archive.members(elementName("fifo", size_t(i)),
                    [&] { describeFifo(archive, state.fifos[size_t(i)]); });
  archive.value("transposeRows", state.transposeRows);
  if (state.transposeRows >= 0 && size_t(state.transposeRows) < state.transposeBlock.size())
    archive.bytes("transposeBlock", state.transposeBlock.data(),
                  size_t(state.transposeRows) * kRegisterBytes);
  for (int i = 0; i < core.timing.mxus; ++i)
    archive.members(elementName("mxu", size_t(i)),
                    [&] { describeMxu(archive, core.table, state.mxus[size_t(i)]); });
  archive.value("flags", state.flags);
}

// Stores that cannot be seen yet: places, and the cycles from which they can.
template <typename Archive>
void describePending(Archive &archive, std::string_view name, int64_t clock, auto &ready,
                     auto &last) {
  std::vector<int64_t> places, cycles;
  if constexpr (!Archive::kReads)
    for (size_t i = 0; last > clock && i < ready.size(); ++i)
      if (ready[i] > clock) {
        places.push_back(int64_t(i));
        cycles.push_back(ready[i]);
      }
  archive.members(name, [&] {
    archive.value("places", places);
    archive.value("cycles", cycles);
  });
  if constexpr (Archive::kReads)
    for (size_t i = 0; i < std::min(places.size(), cycles.size()); ++i)
      if (places[i] >= 0 && size_t(places[i]) < ready.size()) {
        ready[size_t(places[i])] = cycles[i];
        last = std::max(last, cycles[i]);
      }
}

// `core` is constant for a writer.
template <typename Archive> void describe(Archive &archive, auto &core) {
  auto &state = core.state;
  archive.value("run", state.run);
  archive.value("clock", state.clock);
  archive.value("issued", state.issued);
  archive.members("control.", [&] { describeControl(archive, state.control); });
  describeUnits(archive, core);
  archive.members("copies.", [&] { describeCopies(archive, state); });
  archive.members("log.", [&] {
    archive.value("message", state.log.message);
    archive.value("words", state.log.words);
  });
  describePending(archive, "vmemStores.", state.clock, core.memory.vmemReady,
                  core.memory.lastVmemReady);
  describePending(archive, "smemStores.", state.clock, core.memory.smemReady,
                  core.memory.lastSmemReady);
  archive.members("statistics.", [&] { core.statistics.describe(archive); });
}

} // namespace

std::string captureState(const Core &core) {
  ArchiveWriter archive;
  describe(archive, core);
  return std::move(archive).take();
}

static absl::Status conflict() {
  return absl::InvalidArgumentError("copies in flight write what others access");
}

absl::Status restoreState(Core &core, std::string_view bytes) {
  core.hasRestored = true;
  ArchiveReader archive(bytes);
  describe(archive, core);
  absl::Status status = archive.finish();
  if (status.ok())
    status = checkState(core);
  // Those in the state own their memory.
  std::vector<Copy> inFlight;
  std::vector<Message> inbox;
  std::swap(inFlight, core.state.copies.inFlight);
  std::swap(inbox, core.state.inbox);
  if (!status.ok())
    return status;
  for (Copy copy : inFlight) {
    const bool ownsDst = std::exchange(copy.ownsDst, false);
    if (copy.ownsSrc && core.copies.acquire(copy.src, false))
      return conflict();
    core.state.copies.inFlight.push_back(copy);
    if (ownsDst && core.copies.acquire(copy.dst, true))
      return conflict();
    core.state.copies.inFlight.back().ownsDst = ownsDst;
    core.state.copies.expect(copy);
  }
  core.state.nextEvent = core.copies.isFull() ? core.state.clock : core.state.copies.nextFinish;
  for (Message &message : inbox) {
    if (message.ownsMemory() && core.copies.acquire(message.where, true))
      return conflict();
    core.state.nextEvent =
        std::min(core.state.nextEvent, message.isArriving ? message.arrival : message.begin);
    core.state.inbox.push_back(std::move(message));
  }
  return absl::OkStatus();
}

} // namespace systole::emulation
