// Units whose results are popped: the cross-lane unit, the transcendental unit and the path to the
// scalar unit. MXUs are in MatrixUnit.cpp.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Execution/CellUnits.h"
#include "runtime/Emulator/Execution/Units.h"

namespace systole::emulation {

static std::string unitName(int unit) {
  if (unit == kXlu)
    return "the cross-lane unit";
  if (unit == kEup)
    return "the transcendental unit";
  if (unit == kToScalar)
    return "the path to the scalar unit";
  if (unit == kDma)
    return "the copy engine";
  if (unit >= kSwap)
    return absl::StrCat("the swap of MXU ", unit - kSwap);
  return unit >= kLatch ? absl::StrCat("the latch of MXU ", unit - kLatch)
                        : absl::StrCat("MXU ", unit - kMxu);
}

bool checkBusy(Core &core, const Op &op) {
  int64_t &free = core.state.freeAt[op.unit];
  if (free > core.state.clock)
    return core.failOp(
        op, TrapKind::UnitBusy,
        absl::StrCat("comes while ", unitName(op.unit), " is busy until cycle ", free));
  free = core.state.clock + op.interval;
  return true;
}

bool reserve(Core &core, const Op &op, int results) {
  if (!checkBusy(core, op))
    return false;
  Fifo &fifo = core.state.fifos[op.unit];
  if (fifo.count + results > fifo.depth)
    return core.failOp(op, TrapKind::FifoFull,
                       absl::StrCat("adds ", results, " to the ", fifo.count, " results of ",
                                    unitName(op.unit), ", which holds ", fifo.depth));
  for (int i = 0; i < results; ++i)
    fifo.ready[size_t(fifo.place(fifo.count + i))] = core.state.clock + op.latency;
  fifo.count += results;
  return true;
}

template <Mode mode> bool pushCells(Core &core, const Op &op) {
  if (!reserve(core, op, 1))
    return false;
  if constexpr (tracks(mode)) {
    const Origin origin = mode == Mode::Clock ? kNever : originOfReads(core, op);
    setOrigins<mode>(core, op, origin);
    if (origin != kKnown)
      return true;
  }
  if (op.handler == Handler::Eup)
    finish<mode>(core, op, firstResult(core, op));
  else
    finish<mode>(core, op, core.scalar(op, 1), core.scalar(op, 2), firstResult(core, op));
  return true;
}

template <Mode mode> bool pop(Core &core, const Op &op) {
  Fifo &fifo = core.state.fifos[op.unit];
  if (fifo.count == 0)
    return core.failOp(op, TrapKind::FifoEmpty,
                       absl::StrCat("finds no result of ", unitName(op.unit)));
  int64_t readyAt = fifo.ready[size_t(fifo.head)];
  if (readyAt > core.state.clock)
    return core.failOp(op, TrapKind::PopTooEarly,
                       absl::StrCat("comes before the result of ", unitName(op.unit),
                                    ", which is ready at cycle ", readyAt));
  bool isKnown = true;
  if constexpr (tracks(mode)) {
    Origin &result = originAt(core, op.destOffset);
    result = core.known.results[op.unit][size_t(fifo.head)];
    if (mode == Mode::Clock && op.handler == Handler::PopScalar)
      result = core.known.demand->origins().ofKernel(core.known.demand->callOf(core.kernel()));
    isKnown = result == kKnown;
  }
  if (op.handler == Handler::PopScalar)
    *core.registerAt(op.destOffset) = isKnown ? *fifo.slot(fifo.head) : 0;
  else if (computes(mode) && isKnown)
    finish<mode>(core, op, fifo.head);
  fifo.head = fifo.place(1);
  --fifo.count;
  return true;
}

template <Mode mode> bool pushXlu(Core &core, const Op &op) {
  bool isTranspose = op.handler == Handler::Transpose || op.handler == Handler::TransposeEnd;
  if (!isTranspose && core.state.transposeRows > 0)
    return core.failOp(op, TrapKind::TransposeOrder,
                       absl::StrCat("comes inside a block to transpose, after ",
                                    core.state.transposeRows, " pushes"));
  if (op.handler == Handler::Transpose && core.state.transposeRows == 15)
    return core.failOp(op, TrapKind::TransposeOrder, "would make the block longer than 128 rows");
  if (!reserve(core, op, op.count))
    return false;
  Origin origin = mode == Mode::Clock ? kNever : kKnown;
  if constexpr (mode == Mode::Known)
    origin = originOfReads(core, op);
  if (isTranspose) {
    const int blocks = core.state.transposeRows++;
    const bool isEnd = op.handler == Handler::TransposeEnd;
    if constexpr (mode == Mode::Known)
      origin = core.known.transposeBlock = core.known.join(core.known.transposeBlock, origin);
    if (isEnd) {
      core.state.transposeRows = 0;
      core.known.transposeBlock = kKnown;
      setOrigins<mode>(core, op, origin);
    }
    if constexpr (computes(mode)) {
      if (isEnd)
        finish<mode>(core, op, blocks, firstResult(core, op));
      else
        finish<mode>(core, op, blocks);
    }
    return true;
  }
  setOrigins<mode>(core, op, origin);
  if (origin != kKnown)
    return true;
  if (op.handler == Handler::Rotate || op.handler == Handler::Broadcast)
    finish<mode>(core, op, core.scalar(op, 1), firstResult(core, op));
  else
    finish<mode>(core, op, firstResult(core, op));
  return true;
}

template bool pushXlu<Mode::Full>(Core &, const Op &);
template bool pushXlu<Mode::Deferred>(Core &, const Op &);
template bool pushXlu<Mode::Clock>(Core &, const Op &);
template bool pushXlu<Mode::Known>(Core &, const Op &);
template bool pushCells<Mode::Full>(Core &, const Op &);
template bool pushCells<Mode::Deferred>(Core &, const Op &);
template bool pushCells<Mode::Clock>(Core &, const Op &);
template bool pushCells<Mode::Known>(Core &, const Op &);
template bool pop<Mode::Full>(Core &, const Op &);
template bool pop<Mode::Deferred>(Core &, const Op &);
template bool pop<Mode::Clock>(Core &, const Op &);
template bool pop<Mode::Known>(Core &, const Op &);

} // namespace systole::emulation
