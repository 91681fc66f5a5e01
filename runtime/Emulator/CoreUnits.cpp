// Units whose results are popped: the cross-lane unit, the transcendental unit, the path to the
// scalar unit, and the MXUs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Core.h"

namespace systole::emulation {

//===----------------------------------------------------------------------===//
// Units with a FIFO
//===----------------------------------------------------------------------===//

bool Core::checkBusy(const Op &op) {
  int64_t &free = freeAt[op.unit];
  if (free > clock)
    return failOp(op, TrapKind::UnitBusy,
                  absl::StrCat("comes while ", unitName(op.unit), " is busy until cycle ", free));
  free = clock + op.interval;
  return true;
}

// Occupies the unit and FIFO entries for results, which are ready after the latency.
bool Core::reserve(const Op &op, int results) {
  if (!checkBusy(op))
    return false;
  Fifo &fifo = fifos[op.unit];
  if (fifo.count + results > fifo.depth)
    return failOp(op, TrapKind::FifoFull,
                  absl::StrCat("adds ", results, " to the ", fifo.count, " results of ",
                               unitName(op.unit), ", which holds ", fifo.depth));
  for (int i = 0; i < results; ++i)
    fifo.ready[size_t(fifo.place(fifo.count + i))] = clock + op.latency;
  fifo.count += results;
  return true;
}

template <Mode mode> void Core::setOrigins(const Op &op, Origin origin) {
  if constexpr (tracks(mode)) {
    Fifo &fifo = fifos[op.unit];
    for (int i = 0; i < op.count; ++i)
      fifo.origins[size_t(fifo.place(fifo.count - op.count + i))] = origin;
  }
}

template <Mode mode> bool Core::pushCells(const Op &op) {
  if (!reserve(op, 1))
    return false;
  if constexpr (tracks(mode)) {
    const Origin origin = mode == Mode::Clock ? kNever : originOfReads(op);
    setOrigins<mode>(op, origin);
    if (origin != kKnown)
      return true;
  }
  if (op.handler == Handler::Eup)
    op.push(newResult(op), operand(op, 0), operand(op, 1));
  else
    *newResult(op) =
        operand(op, 0)[scalar(op, 1) % isa::kSublanes * isa::kLanes + scalar(op, 2) % isa::kLanes];
  return true;
}

template <Mode mode> bool Core::pop(const Op &op) {
  Fifo &fifo = fifos[op.unit];
  if (fifo.count == 0)
    return failOp(op, TrapKind::FifoEmpty, absl::StrCat("finds no result of ", unitName(op.unit)));
  int64_t readyAt = fifo.ready[size_t(fifo.head)];
  if (readyAt > clock)
    return failOp(op, TrapKind::PopTooEarly,
                  absl::StrCat("comes before the result of ", unitName(op.unit),
                               ", which is ready at cycle ", readyAt));
  bool isKnown = true;
  if constexpr (tracks(mode)) {
    Origin &result = originAt(op.destOffset);
    result = fifo.origins[size_t(fifo.head)];
    if (mode == Mode::Clock && op.handler == Handler::PopScalar)
      result = demand->origins().ofKernel(demand->callOf(kernelOf(code.blocks[size_t(block)])));
    isKnown = result == kKnown;
  }
  if (op.handler == Handler::PopScalar)
    *registerAt(op.destOffset) = isKnown ? *fifo.slot(fifo.head) : 0;
  else if (computes(mode) && isKnown)
    std::memcpy(registerAt(op.destOffset), fifo.slot(fifo.head), kCells * 4);
  fifo.head = fifo.place(1);
  --fifo.count;
  return true;
}

template <Mode mode> bool Core::pushXlu(const Op &op) {
  bool isTranspose = op.handler == Handler::Transpose || op.handler == Handler::TransposeEnd;
  if (!isTranspose && transposeRows > 0)
    return failOp(
        op, TrapKind::TransposeOrder,
        absl::StrCat("comes inside a block to transpose, after ", transposeRows, " pushes"));
  if (op.handler == Handler::Transpose && transposeRows == 15)
    return failOp(op, TrapKind::TransposeOrder, "would make the block longer than 128 rows");
  if (!reserve(op, op.count))
    return false;
  Origin origin = mode == Mode::Clock ? kNever : kKnown;
  if constexpr (mode == Mode::Known)
    origin = originOfReads(op);
  if (isTranspose) {
    if constexpr (mode == Mode::Known)
      origin = transposeOrigin = join(transposeOrigin, origin);
    if constexpr (computes(mode))
      std::memcpy(transposeBlock.data() + transposeRows * kCells, operand(op, 0), kCells * 4);
    ++transposeRows;
    if (op.handler == Handler::Transpose)
      return true;
    setOrigins<mode>(op, origin);
    int rows = std::exchange(transposeRows, 0) * isa::kSublanes;
    transposeOrigin = kKnown;
    if constexpr (computes(mode))
      for (int j = 0; j < op.count; ++j) {
        // Row by row of the block: a column would occupy few sets of the host's cache.
        uint32_t *d = newResult(op, j);
        const uint32_t *from = transposeBlock.data() + j * isa::kSublanes;
        for (int l = 0; l < rows; ++l, from += isa::kLanes)
          for (int s = 0; s < isa::kSublanes; ++s)
            d[s * isa::kLanes + l] = from[s];
        for (int s = 0; s < isa::kSublanes; ++s)
          std::fill(d + s * isa::kLanes + rows, d + (s + 1) * isa::kLanes, 0);
      }
    return true;
  }
  setOrigins<mode>(op, origin);
  if (origin != kKnown)
    return true;
  uint32_t *d = newResult(op);
  const uint32_t *a = operand(op, 0);
  switch (op.handler) {
  case Handler::Rotate: {
    size_t amount = scalar(op, 1) % isa::kLanes;
    for (int s = 0; s < isa::kSublanes; ++s, d += isa::kLanes, a += isa::kLanes) {
      std::memcpy(d + amount, a, isa::kRowBytes - amount * 4);
      std::memcpy(d, a + isa::kLanes - amount, amount * 4);
    }
    return true;
  }
  case Handler::Broadcast: {
    size_t lane = scalar(op, 1) % isa::kLanes;
    for (int s = 0; s < isa::kSublanes; ++s)
      std::fill_n(d + s * isa::kLanes, isa::kLanes, a[size_t(s) * isa::kLanes + lane]);
    return true;
  }
  case Handler::GatherLanes:
    op.push(d, a, operand(op, 1));
    return true;
  default:
    op.push(d, a, nullptr);
    return true;
  }
}

//===----------------------------------------------------------------------===//
// MXUs
//===----------------------------------------------------------------------===//

void Core::clearWeights(MxuState &mxu, int k, int kCount, int n, int nCount) {
  if (mxu.integers)
    table.clearS8(mxu.shadow(), k, kCount, n, nCount);
  else
    table.clear(mxu.shadow(), k, kCount, n, nCount);
}

void Core::clearRest(MxuState &mxu, int k, int n) {
  if (mxu.columnGroups == 0) {
    for (int group = 0; group * 8 < k; ++group)
      if (!(mxu.rowGroups >> group & 1))
        clearWeights(mxu, group * 8, 8, 0, kMxuSize);
    return;
  }
  for (int group = 0; group * 8 < n; ++group)
    if (!(mxu.columnGroups >> group & 1))
      clearWeights(mxu, 0, kMxuSize, group * 8, 8);
}

void Core::mixLatches(MxuState &mxu, bool columns) {
  constexpr uint32_t all = 0xffff;
  if (mxu.rowGroups == all || (columns ? mxu.rowGroups == 0 : mxu.columnGroups == 0))
    return;
  for (int rows = 0; rows < 16; ++rows)
    for (int group = 0; group < 16; ++group)
      if (!(mxu.rowGroups >> rows & 1) && !(mxu.columnGroups >> group & 1))
        clearWeights(mxu, rows * 8, 8, group * 8, 8);
  mxu.rowGroups = all;
  mxu.columnGroups = 0;
}

template <Mode mode> bool Core::latch(const Op &op) {
  if (!checkBusy(op))
    return false;
  MxuState &mxu = mxus[size_t(op.unit - kLatch)];
  mxu.latchReady = clock + op.latency;
  if (tracks(mode) && originOf(op, 1) != kKnown)
    return true;
  uint32_t group = scalar(op, 1);
  if (group >= kMxuSize / 8)
    return failOp(op, TrapKind::BadOperand, absl::StrCat("names group ", int32_t(group), " of 16"));
  if constexpr (tracks(mode))
    return true;
  bool columns = op.handler == Handler::LatchTransposed;
  bool integers = op.handler == Handler::LatchS8;
  if (mxu.integers != integers) {
    // Weights of the other type are discarded.
    mxu.rowGroups = mxu.columnGroups = 0;
    mxu.integers = integers;
  }
  mixLatches(mxu, columns);
  if (columns && mxu.rowGroups == 0)
    mxu.columnGroups |= 1u << group;
  else
    mxu.rowGroups |= 1u << group;
  if (op.handler == Handler::Latch)
    table.latch(mxu.shadow(), operand(op, 0), int(group));
  else if (op.handler == Handler::LatchTransposed)
    table.latchTransposed(mxu.shadow(), operand(op, 0), int(group));
  else
    table.latchS8(mxu.shadow(), operand(op, 0), int(group));
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
  uint32_t k = scalar(op, 0), n = scalar(op, 1);
  if (k > kMxuSize || n > kMxuSize)
    return failOp(op, TrapKind::BadOperand,
                  absl::StrCat("has extents ", int32_t(k), " x ", int32_t(n), " of 128 x 128"));
  if constexpr (tracks(mode))
    return true;
  clearRest(mxu, int(k), int(n));
  mxu.current = 1 - mxu.current;
  mxu.k = int(k);
  mxu.n = int(n);
  mxu.rowGroups = mxu.columnGroups = 0;
  return true;
}

template <Mode mode> bool Core::pushArray(const Op &op) {
  if (!reserve(op, 1))
    return false;
  // Products are not computed.
  setOrigins<mode>(op, kNever);
  if (tracks(mode) && originOf(op, 1) != kKnown)
    return true;
  uint32_t rows = scalar(op, 1);
  if (rows > isa::kSublanes)
    return failOp(op, TrapKind::BadOperand, absl::StrCat("has ", int32_t(rows), " rows of 8"));
  if constexpr (tracks(mode))
    return true;
  MxuState &mxu = mxus[size_t(op.unit - kMxu)];
  if (op.handler == Handler::Push)
    table.push(newResult(op), operand(op, 0), mxu.latched(), int(rows), mxu.k, mxu.n);
  else
    table.pushS8(newResult(op), operand(op, 0), mxu.latched(), int(rows), mxu.k, mxu.n);
  return true;
}

template bool Core::pushXlu<Mode::Full>(const Op &);
template bool Core::pushXlu<Mode::Clock>(const Op &);
template bool Core::pushXlu<Mode::Known>(const Op &);
template bool Core::pushArray<Mode::Full>(const Op &);
template bool Core::pushArray<Mode::Clock>(const Op &);
template bool Core::pushArray<Mode::Known>(const Op &);
template bool Core::pushCells<Mode::Full>(const Op &);
template bool Core::pushCells<Mode::Clock>(const Op &);
template bool Core::pushCells<Mode::Known>(const Op &);
template bool Core::latch<Mode::Full>(const Op &);
template bool Core::latch<Mode::Clock>(const Op &);
template bool Core::latch<Mode::Known>(const Op &);
template bool Core::swapWeights<Mode::Full>(const Op &);
template bool Core::swapWeights<Mode::Clock>(const Op &);
template bool Core::swapWeights<Mode::Known>(const Op &);
template bool Core::pop<Mode::Full>(const Op &);
template bool Core::pop<Mode::Clock>(const Op &);
template bool Core::pop<Mode::Known>(const Op &);

} // namespace systole::emulation
