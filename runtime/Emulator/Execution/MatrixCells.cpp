// The weights and products of the MXUs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/CellUnits.h"

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

void latchRows(Core &core, const Op &op, CellRows a, int number) {
  MxuState &mxu = core.state.mxus[size_t(op.unit - kLatch)];
  const bool columns = op.handler == Handler::LatchTransposed,
             integers = op.handler == Handler::LatchS8;
  if (mxu.integers != integers) {
    // Weights of the other type are discarded.
    mxu.forgetLatches();
    mxu.integers = integers;
  }
  const int groups = kGroupsPerTile * mxu.tilesPerSide;
  const int across = number / groups, along = number % groups / kGroupsPerTile;
  const int group = number % kGroupsPerTile;
  MxuTile &tile = columns ? mxu.tileAt(across, along) : mxu.tileAt(along, across);
  mixLatches(core.table, mxu, tile, columns);
  if (columns && tile.rowGroups == 0)
    tile.columnGroups |= 1u << group;
  else
    tile.rowGroups |= 1u << group;
  const auto latch = integers  ? core.table.latchS8
                     : columns ? core.table.latchTransposed
                               : core.table.latch;
  latch(mxu.shadow(tile), a, group);
}

void makeCurrent(Core &core, const Op &op, int k, int n) {
  MxuState &mxu = core.state.mxus[size_t(op.unit - kSwap)];
  for (int depth = 0; depth < mxu.tilesPerSide; ++depth)
    for (int column = 0; column < mxu.tilesPerSide; ++column)
      clearRest(core.table, mxu, mxu.tileAt(depth, column), extentIn(depth, k),
                extentIn(column, n));
  mxu.current = 1 - mxu.current;
  mxu.currentIntegers = mxu.integers;
  mxu.k = k;
  mxu.n = n;
  mxu.forgetLatches();
}

void multiply(Core &core, const Op &op, int tile, const KernelTable::Rows &rows) {
  MxuState &mxu = core.state.mxus[size_t(op.unit - kMxu)];
  const int depth = tile % depthsOf(op), column = tile / depthsOf(op);
  const auto push = op.handler == Handler::PushS8 ? core.table.pushS8 : core.table.push;
  push(rows, mxu.latched(mxu.tileAt(depth, column)), extentIn(depth, mxu.k),
       extentIn(column, mxu.n));
}

} // namespace systole::emulation
