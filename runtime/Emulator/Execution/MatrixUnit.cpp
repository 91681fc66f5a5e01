// The MXUs of a core: latches, swaps and pushes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Execution/Units.h"

namespace systole::emulation {

// Zeroes cells of a tile's shadow latch.
static void clearWeights(const KernelTable &table, MxuState &mxu, MxuTile &tile, int k, int kCount,
                         int n, int nCount) {
  if (mxu.integers)
    table.clearS8(mxu.shadow(tile), k, kCount, n, nCount);
  else
    table.clear(mxu.shadow(tile), k, kCount, n, nCount);
}

// Zeroes the cells of a tile's shadow latch below k and n that were not written.
static void clearRest(const KernelTable &table, MxuState &mxu, MxuTile &tile, int k, int n) {
  if (tile.columnGroups == 0) {
    for (int group = 0; group * 8 < k; ++group)
      if (!(tile.rowGroups >> group & 1))
        clearWeights(table, mxu, tile, group * 8, 8, 0, kTileSize);
    return;
  }
  for (int group = 0; group * 8 < n; ++group)
    if (!(tile.columnGroups >> group & 1))
      clearWeights(table, mxu, tile, 0, kTileSize, group * 8, 8);
}

// Called before rows are latched over columns, or the other way round.
static void mixLatches(const KernelTable &table, MxuState &mxu, MxuTile &tile, bool columns) {
  if (tile.rowGroups == kAllGroups || (columns ? tile.rowGroups == 0 : tile.columnGroups == 0))
    return;
  for (int rows = 0; rows < kGroupsPerTile; ++rows)
    for (int group = 0; group < kGroupsPerTile; ++group)
      if (!(tile.rowGroups >> rows & 1) && !(tile.columnGroups >> group & 1))
        clearWeights(table, mxu, tile, rows * 8, 8, group * 8, 8);
  tile.rowGroups = kAllGroups;
  tile.columnGroups = 0;
}

template <Mode mode> bool latch(Core &core, const Op &op) {
  if (!checkBusy(core, op))
    return false;
  MxuState &mxu = core.state.mxus[size_t(op.unit - kLatch)];
  mxu.latchReady = core.state.clock + op.latency;
  if (tracks(mode) && originOf(core, op, 1) != kKnown)
    return true;
  const int groups = kGroupsPerTile * core.timing.tilesPerSide;
  uint32_t number = core.scalar(op, 1);
  if (number >= uint32_t(groups * core.timing.tilesPerSide))
    return core.failOp(
        op, TrapKind::BadOperand,
        absl::StrCat("names group ", int32_t(number), " of ", groups * core.timing.tilesPerSide));
  if constexpr (tracks(mode))
    return true;
  bool columns = op.handler == Handler::LatchTransposed;
  bool integers = op.handler == Handler::LatchS8;
  if (mxu.integers != integers) {
    // Weights of the other type are discarded.
    mxu.forgetLatches();
    mxu.integers = integers;
  }
  const int across = int(number) / groups, along = int(number) % groups / kGroupsPerTile;
  const int group = int(number) % kGroupsPerTile;
  MxuTile &tile = columns ? mxu.tileAt(across, along) : mxu.tileAt(along, across);
  mixLatches(core.table, mxu, tile, columns);
  if (columns && tile.rowGroups == 0)
    tile.columnGroups |= 1u << group;
  else
    tile.rowGroups |= 1u << group;
  if (op.handler == Handler::Latch)
    core.table.latch(mxu.shadow(tile), core.operand(op, 0), group);
  else if (op.handler == Handler::LatchTransposed)
    core.table.latchTransposed(mxu.shadow(tile), core.operand(op, 0), group);
  else
    core.table.latchS8(mxu.shadow(tile), core.operand(op, 0), group);
  return true;
}

template <Mode mode> bool swapWeights(Core &core, const Op &op) {
  const int number = op.unit - kSwap;
  MxuState &mxu = core.state.mxus[size_t(number)];
  if (!checkBusy(core, op))
    return false;
  if (mxu.latchReady > core.state.clock)
    return core.failOp(op, TrapKind::ReadTooEarly,
                       absl::StrCat("comes before the latch of MXU ", number,
                                    " is loaded, at cycle ", mxu.latchReady));
  // Pushes may follow once the new weights are current, latches once the shadow latch is free.
  int64_t &pushFree = core.state.freeAt[size_t(kMxu + number)],
          &latchFree = core.state.freeAt[size_t(kLatch + number)];
  pushFree = std::max(pushFree, core.state.clock + op.latency);
  latchFree = std::max(latchFree, core.state.clock + op.interval);
  if (tracks(mode) && (originOf(core, op, 0) != kKnown || originOf(core, op, 1) != kKnown))
    return true;
  const auto size = uint32_t(core.timing.tilesPerSide * kTileSize);
  uint32_t k = core.scalar(op, 0), n = core.scalar(op, 1);
  if (k > size || n > size)
    return core.failOp(
        op, TrapKind::BadOperand,
        absl::StrCat("has extents ", int32_t(k), " x ", int32_t(n), " of ", size, " x ", size));
  if constexpr (tracks(mode))
    return true;
  for (int depth = 0; depth < core.timing.tilesPerSide; ++depth)
    for (int column = 0; column < core.timing.tilesPerSide; ++column)
      clearRest(core.table, mxu, mxu.tileAt(depth, column), extentIn(depth, int(k)),
                extentIn(column, int(n)));
  mxu.current = 1 - mxu.current;
  mxu.currentIntegers = mxu.integers;
  mxu.k = int(k);
  mxu.n = int(n);
  mxu.forgetLatches();
  return true;
}

template <Mode mode> bool pushArray(Core &core, const Op &op) {
  if (!reserve(core, op, op.count))
    return false;
  // Products are not computed.
  setOrigins<mode>(core, op, kNever);
  const bool wide = op.handler == Handler::PushWide;
  const int rowsOperand = wide ? 2 : 1;
  if (tracks(mode) && originOf(core, op, rowsOperand) != kKnown)
    return true;
  uint32_t rows = core.scalar(op, rowsOperand);
  if (rows > isa::kSublanes)
    return core.failOp(op, TrapKind::BadOperand, absl::StrCat("has ", int32_t(rows), " rows of 8"));
  if constexpr (tracks(mode))
    return true;
  MxuState &mxu = core.state.mxus[size_t(op.unit - kMxu)];
  const int depths = wide ? op.aux : 1;
  for (int i = 0; i < op.count; ++i) {
    const int depth = i % depths, column = i / depths;
    MxuTile &tile = mxu.tileAt(depth, column);
    const auto push = op.handler == Handler::PushS8 ? core.table.pushS8 : core.table.push;
    push(core.newResult(op, i), core.operand(op, depth), mxu.latched(tile), int(rows),
         extentIn(depth, mxu.k), extentIn(column, mxu.n));
  }
  return true;
}

template bool latch<Mode::Full>(Core &, const Op &);
template bool latch<Mode::Clock>(Core &, const Op &);
template bool latch<Mode::Known>(Core &, const Op &);
template bool swapWeights<Mode::Full>(Core &, const Op &);
template bool swapWeights<Mode::Clock>(Core &, const Op &);
template bool swapWeights<Mode::Known>(Core &, const Op &);
template bool pushArray<Mode::Full>(Core &, const Op &);
template bool pushArray<Mode::Clock>(Core &, const Op &);
template bool pushArray<Mode::Known>(Core &, const Op &);

} // namespace systole::emulation
