// The MXUs of a core: latches, swaps and pushes, but for their cells (MatrixCells.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Execution/CellUnits.h"
#include "runtime/Emulator/Execution/Units.h"

namespace systole::emulation {

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
  finish<mode>(core, op, number);
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
  finish<mode>(core, op, k, n);
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
  finish<mode>(core, op, rows, firstResult(core, op));
  return true;
}

template bool latch<Mode::Full>(Core &, const Op &);
template bool latch<Mode::Deferred>(Core &, const Op &);
template bool latch<Mode::Clock>(Core &, const Op &);
template bool latch<Mode::Known>(Core &, const Op &);
template bool swapWeights<Mode::Full>(Core &, const Op &);
template bool swapWeights<Mode::Deferred>(Core &, const Op &);
template bool swapWeights<Mode::Clock>(Core &, const Op &);
template bool swapWeights<Mode::Known>(Core &, const Op &);
template bool pushArray<Mode::Full>(Core &, const Op &);
template bool pushArray<Mode::Deferred>(Core &, const Op &);
template bool pushArray<Mode::Clock>(Core &, const Op &);
template bool pushArray<Mode::Known>(Core &, const Op &);

} // namespace systole::emulation
