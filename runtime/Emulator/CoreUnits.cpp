// Units whose results are popped: the cross-lane unit, the transcendental unit and the path to the
// scalar unit. MXUs are in CoreMatrix.cpp.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Core.h"

namespace systole::emulation {

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

template void Core::setOrigins<Mode::Full>(const Op &, Origin);
template void Core::setOrigins<Mode::Clock>(const Op &, Origin);
template void Core::setOrigins<Mode::Known>(const Op &, Origin);
template bool Core::pushXlu<Mode::Full>(const Op &);
template bool Core::pushXlu<Mode::Clock>(const Op &);
template bool Core::pushXlu<Mode::Known>(const Op &);
template bool Core::pushCells<Mode::Full>(const Op &);
template bool Core::pushCells<Mode::Clock>(const Op &);
template bool Core::pushCells<Mode::Known>(const Op &);
template bool Core::pop<Mode::Full>(const Op &);
template bool Core::pop<Mode::Clock>(const Op &);
template bool Core::pop<Mode::Known>(const Op &);

} // namespace systole::emulation
