// The effects of operations on cells.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/CellUnits.h"

#include <bit>
#include <cassert>
#include <cstring>

namespace systole::emulation {

static constexpr size_t kBytes = sizeof(uint32_t) * kCells;

int argumentCount(const Op &op) {
  const int scalars = std::popcount(op.scalars);
  switch (op.handler) {
  case Handler::Load:
  case Handler::Store:
    return 3;
  case Handler::TransposeEnd:
    return 2;
  case Handler::Transpose:
  case Handler::PopVector:
    return 1;
  case Handler::Rotate:
  case Handler::Broadcast:
  case Handler::GatherLanes:
  case Handler::Reduce:
  case Handler::Eup:
  case Handler::ToScalar:
  case Handler::Push:
  case Handler::PushS8:
  case Handler::PushWide:
    return scalars + 1;
  default:
    return scalars;
  }
}

//===----------------------------------------------------------------------===//
// VMEM
//===----------------------------------------------------------------------===//

static uint32_t *rowOf(Core &core, const Op &op, int64_t row, int &part) {
  part = int(row & ((int64_t(1) << op.packShift) - 1));
  return core.memory.vmem() + (row >> op.packShift) * isa::kLanes;
}

void loadRow(Core &core, const Op &op, uint32_t *d, int64_t row, const uint32_t *mask) {
  int part;
  const uint32_t *from = rowOf(core, op, row, part);
  op.row(d, from, part);
  for (int l = 0; mask && l < isa::kLanes; ++l)
    d[l] &= mask[l];
}

void storeRow(Core &core, const Op &op, const uint32_t *value, int64_t row, const uint32_t *mask) {
  int part;
  uint32_t *to = rowOf(core, op, row, part);
  if (!mask)
    return op.row(to, value, part);
  if (op.packShift == 0)
    return core.table.mergeRow(to, value, mask);
  alignas(64) uint32_t merged[isa::kLanes];
  std::memcpy(merged, to, isa::kRowBytes);
  op.row(merged, value, part);
  core.table.mergeRow(to, merged, mask);
}

// The first and the last row of VMEM that an operation accesses; none if the first one is behind.
static std::pair<int64_t, int64_t> rowsOf(const Op &op, const int64_t *arguments) {
  const int64_t row = arguments[0], stride = arguments[1];
  const auto touched = uint32_t(arguments[2]);
  if (touched == 0)
    return {0, -1};
  const int64_t a = row + std::countr_zero(touched) * stride,
                b = row + (std::bit_width(touched) - 1) * stride;
  return {std::min(a, b) >> op.packShift, std::max(a, b) >> op.packShift};
}

void noteStores(Core &core, const Op &op, const int64_t *arguments) {
  const auto [first, last] = rowsOf(op, arguments);
  core.memory.noteVmem(first, last, true);
}

void noteLoads(Core &core, const Op &op, const int64_t *arguments) {
  const auto [first, last] = rowsOf(op, arguments);
  core.memory.noteVmem(first, last, false);
}

static void load(Core &core, const Op &op, const int64_t *arguments) {
  uint32_t *d = core.registerAt(op.destOffset);
  const uint32_t *mask = op.allCells ? nullptr : core.operand(op, 2);
  for (int s = 0; s < isa::kSublanes; ++s, d += isa::kLanes) {
    if (arguments[2] >> s & 1)
      loadRow(core, op, d, arguments[0] + s * arguments[1],
              mask ? mask + s * isa::kLanes : nullptr);
    else
      std::memset(d, 0, isa::kRowBytes);
  }
}

static void store(Core &core, const Op &op, const int64_t *arguments) {
  noteStores(core, op, arguments);
  const uint32_t *value = core.operand(op, 0);
  const uint32_t *mask = op.allCells ? nullptr : core.operand(op, 3);
  for (int s = 0; s < isa::kSublanes; ++s)
    if (arguments[2] >> s & 1)
      storeRow(core, op, value + s * isa::kLanes, arguments[0] + s * arguments[1],
               mask ? mask + s * isa::kLanes : nullptr);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static void computeLanes(Core &core, const Op &op, const int64_t *arguments) {
  const uint32_t *operands[3] = {};
  for (int i = 0; i < op.operandCount; ++i)
    operands[i] = op.scalars >> i & 1 ? reinterpret_cast<const uint32_t *>(arguments++)
                                      : core.registerAt(op.operands[size_t(i)]);
  op.lanes(core.registerAt(op.destOffset), operands[0], operands[1], operands[2], {});
}

void rotateSublanes(Core &core, uint32_t *d, const uint32_t *a, uint64_t by) {
  const size_t first = by % isa::kSublanes * isa::kLanes;
  const uint32_t *from = core.scratch.cells;
  std::memcpy(core.scratch.cells, a, kBytes);
  std::memcpy(d + first, from, kBytes - first * 4);
  std::memcpy(d, from + kCells - first, first * 4);
}

void gatherSublanes(Core &core, uint32_t *d, const uint32_t *a, const uint32_t *index,
                    uint64_t sublane) {
  uint32_t *temporary = core.scratch.cells;
  if (index) {
    core.table.gatherSublanes(temporary, a, index);
    std::memcpy(d, temporary, kBytes);
    return;
  }
  std::memcpy(temporary, a + sublane % isa::kSublanes * isa::kLanes, isa::kRowBytes);
  for (int s = 0; s < isa::kSublanes; ++s)
    std::memcpy(d + s * isa::kLanes, temporary, isa::kRowBytes);
}

//===----------------------------------------------------------------------===//
// Units with results
//===----------------------------------------------------------------------===//

void rotateLanes(uint32_t *d, const uint32_t *a, uint64_t by, int sublanes) {
  const size_t first = by % isa::kLanes;
  for (int s = 0; s < sublanes; ++s, d += isa::kLanes, a += isa::kLanes) {
    std::memcpy(d + first, a, isa::kRowBytes - first * 4);
    std::memcpy(d, a + isa::kLanes - first, first * 4);
  }
}

void broadcastLane(uint32_t *d, const uint32_t *a, uint64_t lane, int sublanes) {
  for (int s = 0; s < sublanes; ++s, d += isa::kLanes, a += isa::kLanes)
    std::fill_n(d, isa::kLanes, a[lane % isa::kLanes]);
}

void transpose(Core &core, const Op &op, const uint32_t *last, int blocks, uint32_t *const *d) {
  std::memcpy(core.state.transposeBlock[size_t(blocks)].cells, last, kBytes);
  if (op.handler == Handler::Transpose)
    return;
  const int rows = (blocks + 1) * isa::kSublanes;
  for (int j = 0; j < op.count; ++j) {
    // Row by row of the block: a column would occupy few sets of the host's cache.
    const uint32_t *from = core.state.transposeBlock[0].cells + j * isa::kSublanes;
    for (int l = 0; l < rows; ++l, from += isa::kLanes)
      for (int s = 0; s < isa::kSublanes; ++s)
        d[j][s * isa::kLanes + l] = from[s];
    for (int s = 0; s < isa::kSublanes; ++s)
      std::fill(d[j] + s * isa::kLanes + rows, d[j] + (s + 1) * isa::kLanes, 0);
  }
}

// The places of the results of a push, of which the first one is given.
static void resultsAt(Core &core, const Op &op, int64_t place, uint32_t **results) {
  Fifo &fifo = core.state.fifos[op.unit];
  for (int i = 0; i < op.count; ++i, ++place)
    results[i] = fifo.slot(int(place < fifo.depth ? place : place - fifo.depth));
}

void computeCells(Core &core, const Op &op, const int64_t *arguments) {
  uint32_t *results[kMostResults];
  const uint32_t *a =
      op.operandCount > 0 && !(op.scalars & 1) ? core.registerAt(op.operands[0]) : nullptr;
  if (resultCount(op) > 0)
    resultsAt(core, op, arguments[argumentCount(op) - 1], results);
  switch (op.handler) {
  case Handler::Load:
    return load(core, op, arguments);
  case Handler::Store:
    return store(core, op, arguments);
  case Handler::Lanes:
    return computeLanes(core, op, arguments);
  case Handler::RotateSublanes:
    return rotateSublanes(core, core.registerAt(op.destOffset), a, uint64_t(arguments[0]));
  case Handler::GatherSublanes: {
    const bool isOne = op.scalars >> 1 & 1;
    return gatherSublanes(core, core.registerAt(op.destOffset), a,
                          isOne ? nullptr : core.registerAt(op.operands[1]),
                          isOne ? uint64_t(arguments[0]) : 0);
  }
  case Handler::CommitVector:
  case Handler::CommitMask:
    std::memcpy(core.registerAt(op.destOffset), a, kBytes);
    return;
  case Handler::Rotate:
    return rotateLanes(results[0], a, uint64_t(arguments[0]), isa::kSublanes);
  case Handler::Broadcast:
    return broadcastLane(results[0], a, uint64_t(arguments[0]), isa::kSublanes);
  case Handler::GatherLanes:
  case Handler::Eup:
  case Handler::Reduce:
    return op.push(results[0], a, op.operandCount > 1 ? core.registerAt(op.operands[1]) : nullptr,
                   {});
  case Handler::Transpose:
  case Handler::TransposeEnd:
    return transpose(core, op, a, int(arguments[0]), results);
  case Handler::ToScalar:
    *results[0] = cellOf(a, arguments[0], arguments[1]);
    return;
  case Handler::Latch:
  case Handler::LatchTransposed:
  case Handler::LatchS8:
    return latchRows(core, op, a, int(arguments[0]));
  case Handler::Swap:
    return makeCurrent(core, op, int(arguments[0]), int(arguments[1]));
  case Handler::Push:
  case Handler::PushS8:
  case Handler::PushWide: {
    for (int tile = 0; tile < op.count; ++tile) {
      const CellRows rows = core.registerAt(op.operands[size_t(tile % depthsOf(op))]);
      multiply(core, op, tile, {results + tile, &rows, 1, int(arguments[0])});
    }
    return;
  }
  case Handler::PopVector:
    std::memcpy(core.registerAt(op.destOffset), core.state.fifos[op.unit].slot(int(arguments[0])),
                kBytes);
    return;
  default:
    assert(false && "an operation without cells");
  }
}

} // namespace systole::emulation
