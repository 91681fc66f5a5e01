// Units of a core that hold values: result FIFOs and MXUs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_UNITS_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_UNITS_H

#include <cassert>
#include <cstdint>
#include <vector>

#include "runtime/Emulator/State/Registers.h"
#include "runtime/Emulator/State/Reservation.h"

namespace systole::emulation {

struct alignas(64) VectorRegister {
  uint32_t cells[kCells];
};
// One of several that are used together (kRegisterPitch).
struct alignas(64) SpacedRegister {
  uint32_t cells[kRegisterPitch];
};

// Results of a unit in the order of their pushes.
struct Fifo {
  int depth = 0;
  int head = 0, count = 0;
  std::vector<int64_t> ready; // cycle from which each may be popped
  LazyVector<SpacedRegister> results;

  void allocate(int places) {
    depth = places;
    ready.resize(size_t(places));
    results.resize(size_t(places));
  }
  uint32_t *slot(int index) {
    assert(index >= 0 && index < depth && "no such place");
    return results[size_t(index)].cells;
  }
  // The place of a result, counted from the oldest.
  int place(int ahead) const {
    assert(ahead >= 0 && ahead < depth && "results that the FIFO can hold");
    int index = head + ahead;
    return index < depth ? index : index - depth;
  }
};

// Groups of eight rows, or of eight columns, of a tile of weights, and the mask of all of them.
inline constexpr int kGroupsPerTile = kTileSize / isa::kSublanes;
inline constexpr uint32_t kAllGroups = (uint32_t(1) << kGroupsPerTile) - 1;

// A tile of an MXU: current weights and the shadow latch, in the order of the host's kernels.
struct MxuTile {
  LazyVector<uint32_t> weights[2];
  // Groups of eight rows, or of eight columns, that the shadow latch holds. A
  // cell outside both is zero, though memory may hold an older weight there.
  uint32_t rowGroups = 0, columnGroups = 0;
};

// An MXU: tiles in the order of columns, then of rows.
struct MxuState {
  std::vector<MxuTile> tiles;
  int tilesPerSide = 0;
  int current = 0;
  int k = 0, n = 0;
  bool integers = false;        // type of the weights in the shadow latch
  bool currentIntegers = false; // and of the current ones
  int64_t latchReady = 0;       // cycle from which the latched rows may be swapped in

  MxuTile &tileAt(int depth, int column) { return tiles[size_t(column * tilesPerSide + depth)]; }
  void *latched(MxuTile &tile) { return tile.weights[current].data(); }
  void *shadow(MxuTile &tile) { return tile.weights[1 - current].data(); }
  void forgetLatches() {
    for (MxuTile &tile : tiles)
      tile.rowGroups = tile.columnGroups = 0;
  }
};

// How much of `extent` is in block `block` of 128.
inline int extentIn(int block, int extent) {
  const int rest = extent - block * kTileSize;
  return rest < 0 ? 0 : rest < kTileSize ? rest : kTileSize;
}

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_UNITS_H
