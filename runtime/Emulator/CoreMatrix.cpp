// The MXUs of a core: latches, swaps and pushes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Core.h"

namespace systole::emulation {

// Eight rows, or eight columns, of a tile of weights.
constexpr int kGroupsPerTile = kTileSize / isa::kSublanes;

// How much of `extent` is in block `block` of 128.
static int extentIn(int block, int extent) {
  return std::clamp(extent - block * kTileSize, 0, kTileSize);
}

void Core::clearWeights(MxuState &mxu, MxuTile &tile, int k, int kCount, int n, int nCount) {
  if (mxu.integers)
    table.clearS8(mxu.shadow(tile), k, kCount, n, nCount);
  else
    table.clear(mxu.shadow(tile), k, kCount, n, nCount);
}

void Core::clearRest(MxuState &mxu, MxuTile &tile, int k, int n) {
  if (tile.columnGroups == 0) {
    for (int group = 0; group * 8 < k; ++group)
      if (!(tile.rowGroups >> group & 1))
        clearWeights(mxu, tile, group * 8, 8, 0, kTileSize);
    return;
  }
  for (int group = 0; group * 8 < n; ++group)
    if (!(tile.columnGroups >> group & 1))
      clearWeights(mxu, tile, 0, kTileSize, group * 8, 8);
}

void Core::mixLatches(MxuState &mxu, MxuTile &tile, bool columns) {
  constexpr uint32_t all = 0xffff;
  if (tile.rowGroups == all || (columns ? tile.rowGroups == 0 : tile.columnGroups == 0))
    return;
  for (int rows = 0; rows < kGroupsPerTile; ++rows)
    for (int group = 0; group < kGroupsPerTile; ++group)
      if (!(tile.rowGroups >> rows & 1) && !(tile.columnGroups >> group & 1))
        clearWeights(mxu, tile, rows * 8, 8, group * 8, 8);
  tile.rowGroups = all;
  tile.columnGroups = 0;
}

template <Mode mode> bool Core::latch(const Op &op) {
  if (!checkBusy(op))
    return false;
  MxuState &mxu = mxus[size_t(op.unit - kLatch)];
  mxu.latchReady = clock + op.latency;
  if (tracks(mode) && originOf(op, 1) != kKnown)
    return true;
  const int groups = kGroupsPerTile * tilesPerSide;
  uint32_t number = scalar(op, 1);
  if (number >= uint32_t(groups * tilesPerSide))
    return failOp(op, TrapKind::BadOperand,
                  absl::StrCat("names group ", int32_t(number), " of ", groups * tilesPerSide));
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
  MxuTile &tile = columns ? tileOf(mxu, across, along) : tileOf(mxu, along, across);
  mixLatches(mxu, tile, columns);
  if (columns && tile.rowGroups == 0)
    tile.columnGroups |= 1u << group;
  else
    tile.rowGroups |= 1u << group;
  if (op.handler == Handler::Latch)
    table.latch(mxu.shadow(tile), operand(op, 0), group);
  else if (op.handler == Handler::LatchTransposed)
    table.latchTransposed(mxu.shadow(tile), operand(op, 0), group);
  else
    table.latchS8(mxu.shadow(tile), operand(op, 0), group);
  return true;
}

template <Mode mode> bool Core::swapWeights(const Op &op) {
  const int number = op.unit - kSwap;
  MxuState &mxu = mxus[size_t(number)];
  if (!checkBusy(op))
    return false;
  if (mxu.latchReady > clock)
    return failOp(op, TrapKind::ReadTooEarly,
                  absl::StrCat("comes before the latch of MXU ", number, " is loaded, at cycle ",
                               mxu.latchReady));
  // Pushes may follow once the new weights are current, latches once the shadow latch is free.
  int64_t &pushFree = freeAt[size_t(kMxu + number)], &latchFree = freeAt[size_t(kLatch + number)];
  pushFree = std::max(pushFree, clock + op.latency);
  latchFree = std::max(latchFree, clock + op.interval);
  if (tracks(mode) && (originOf(op, 0) != kKnown || originOf(op, 1) != kKnown))
    return true;
  const auto size = uint32_t(tilesPerSide * kTileSize);
  uint32_t k = scalar(op, 0), n = scalar(op, 1);
  if (k > size || n > size)
    return failOp(
        op, TrapKind::BadOperand,
        absl::StrCat("has extents ", int32_t(k), " x ", int32_t(n), " of ", size, " x ", size));
  if constexpr (tracks(mode))
    return true;
  for (int depth = 0; depth < tilesPerSide; ++depth)
    for (int column = 0; column < tilesPerSide; ++column)
      clearRest(mxu, tileOf(mxu, depth, column), extentIn(depth, int(k)), extentIn(column, int(n)));
  mxu.current = 1 - mxu.current;
  mxu.k = int(k);
  mxu.n = int(n);
  mxu.forgetLatches();
  return true;
}

template <Mode mode> bool Core::pushArray(const Op &op) {
  if (!reserve(op, op.count))
    return false;
  // Products are not computed.
  setOrigins<mode>(op, kNever);
  const bool wide = op.handler == Handler::PushWide;
  const int rowsOperand = wide ? 2 : 1;
  if (tracks(mode) && originOf(op, rowsOperand) != kKnown)
    return true;
  uint32_t rows = scalar(op, rowsOperand);
  if (rows > isa::kSublanes)
    return failOp(op, TrapKind::BadOperand, absl::StrCat("has ", int32_t(rows), " rows of 8"));
  if constexpr (tracks(mode))
    return true;
  MxuState &mxu = mxus[size_t(op.unit - kMxu)];
  const int depths = wide ? op.aux : 1;
  for (int i = 0; i < op.count; ++i) {
    const int depth = i % depths, column = i / depths;
    MxuTile &tile = tileOf(mxu, depth, column);
    const auto push = op.handler == Handler::PushS8 ? table.pushS8 : table.push;
    push(newResult(op, i), operand(op, depth), mxu.latched(tile), int(rows), extentIn(depth, mxu.k),
         extentIn(column, mxu.n));
  }
  return true;
}

template bool Core::latch<Mode::Full>(const Op &);
template bool Core::latch<Mode::Clock>(const Op &);
template bool Core::latch<Mode::Known>(const Op &);
template bool Core::swapWeights<Mode::Full>(const Op &);
template bool Core::swapWeights<Mode::Clock>(const Op &);
template bool Core::swapWeights<Mode::Known>(const Op &);
template bool Core::pushArray<Mode::Full>(const Op &);
template bool Core::pushArray<Mode::Clock>(const Op &);
template bool Core::pushArray<Mode::Known>(const Op &);

} // namespace systole::emulation
