// The interpreter's loop over bundles, and the operations of scalar and vector
// units, units with a FIFO, and the copy engine.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Core.h"

namespace systole::emulation {

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

template <bool data> void Core::runWith(int64_t blocks) {
  while (blocks-- > 0 && runState == RunState::Running && outgoing.empty()) {
    const Block &b = code.blocks[size_t(block)];
    if (b.overlay >= 0 && !isResident[size_t(b.overlay)]) {
      bundle = b.begin;
      issued = clock;
      fail(TrapKind::NotResident, absl::StrCat("the bundle belongs to overlay ", b.overlay,
                                               ", which is not in instruction memory"));
      return;
    }
    ++executions[size_t(block)];
    if (b.kernel < 0) {
      KernelStats &stats = statsOf(inherited);
      stats.use.add(b.use);
      stats.cycles += b.cycles;
    }
    traceKernel(kernelOf(b));
    controlKnown = true;
    if (!executeBundles<data>(b))
      return;
    if (maxCycles > 0 && clock > maxCycles) {
      fail(TrapKind::Watchdog,
           absl::StrCat("cycle ", clock, " is after the last allowed, ", maxCycles));
      return;
    }
    if (!transfer(b))
      return;
  }
}

template void Core::runWith<true>(int64_t);
template void Core::runWith<false>(int64_t);

template <bool data> bool Core::executeBundles(const Block &b) {
  const BundleInfo *info = &code.bundles[size_t(b.begin)];
  const Op *op = code.ops.data() + info->firstOp;
  for (int32_t i = b.begin; i < b.end; ++i, ++info) {
    bundle = i;
    issued = clock;
    if (clock >= nextEvent)
      completeCopies();
    for (const Op *end = code.ops.data() + info[1].firstOp; op != end; ++op) {
      for (int r = 0; r < op->numReads; ++r)
        if (ready[op->reads[size_t(r)]] > clock)
          return readTooEarly(*op);
      if (!execute<data>(*op))
        return false;
      if (op->dest != kNoRegister) {
        int64_t &slot = ready[op->dest];
        int64_t arrival = clock + op->latency;
        if (slot > clock && slot >= arrival)
          return writeConflict(*op);
        slot = arrival;
      }
    }
    clock += info->cycles;
  }
  return true;
}

template <bool data> bool Core::execute(const Op &op) {
  switch (op.handler) {
  case Handler::Scalar:
    *registerAt(op.destOffset) =
        evaluateScalar(op.opcode, scalar(op, 0), scalar(op, 1), scalar(op, 2));
    if constexpr (!data)
      setKnown(op.destOffset, known(op, 0) && known(op, 1) && known(op, 2));
    return true;
  case Handler::SmemLoad:
  case Handler::SmemStore:
    return scalarMemory<data>(op);
  case Handler::FlagRead:
  case Handler::FlagAdd:
  case Handler::Trap:
    return flagOrTrap<data>(op);
  case Handler::ControlValue:
    controlValue = scalar(op, 0);
    if constexpr (!data)
      controlKnown = known(op, 0);
    return true;
  case Handler::Load:
    return load<data>(op);
  case Handler::Store:
    return store<data>(op);
  case Handler::Lanes:
  case Handler::RotateSublanes:
  case Handler::GatherSublanes:
  case Handler::CommitVector:
  case Handler::CommitMask:
    return !data || vectorOp(op);
  case Handler::CommitScalar:
    *registerAt(op.destOffset) = scalar(op, 0);
    if constexpr (!data)
      setKnown(op.destOffset, known(op, 0));
    return true;
  case Handler::Rotate:
  case Handler::Broadcast:
  case Handler::GatherLanes:
  case Handler::Reduce:
  case Handler::Transpose:
  case Handler::TransposeEnd:
    return pushXlu<data>(op);
  case Handler::Eup:
    if (!reserve(op, 1))
      return false;
    if constexpr (data)
      op.push(newResult(op), operand(op, 0), operand(op, 1));
    return true;
  case Handler::ToScalar:
    if (!reserve(op, 1))
      return false;
    if constexpr (data)
      *newResult(op) = operand(
          op, 0)[scalar(op, 1) % isa::kSublanes * isa::kLanes + scalar(op, 2) % isa::kLanes];
    return true;
  case Handler::Latch:
  case Handler::LatchTransposed:
  case Handler::LatchS8:
    return latch<data>(op);
  case Handler::Swap:
    return swapWeights<data>(op);
  case Handler::Push:
  case Handler::PushS8:
    return pushArray<data>(op);
  case Handler::PopVector:
  case Handler::PopScalar:
    return pop<data>(op);
  case Handler::Copy:
    return startCopy<data>(op);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static size_t scalarIndex(int32_t offset) {
  return size_t(offset - int32_t(offsetof(Registers, s))) / 4;
}

bool Core::known(const Op &op, int i) const {
  int32_t offset = op.operands[size_t(i)];
  // Operands that the instruction does not have are offset 0, a vector register.
  bool isScalar = !(op.literals >> i & 1) && offset >= int32_t(offsetof(Registers, s));
  return !isScalar || !unknown[scalarIndex(offset)];
}

void Core::setKnown(int32_t destOffset, bool isKnown) {
  unknown[scalarIndex(destOffset)] = !isKnown;
}

template <bool data> bool Core::flagOrTrap(const Op &op) {
  switch (op.handler) {
  case Handler::FlagRead:
    *registerAt(op.destOffset) = uint32_t(flags[op.count]);
    if constexpr (!data)
      setKnown(op.destOffset, true);
    return true;
  case Handler::FlagAdd: {
    if (!data && (!known(op, 0) || !known(op, 1)))
      return failOp(op, TrapKind::Unknown, "depends on data that was not computed");
    int32_t core = signedScalar(op, 1);
    if (core < -1 || core >= program.header.cores())
      return failOp(op, TrapKind::BadOperand,
                    absl::StrCat("names core ", core, " of ", program.header.cores()));
    if (core == -1 || core == index) {
      flags[op.count] = int32_t(uint32_t(flags[op.count]) + scalar(op, 0));
      return true;
    }
    outgoing.push_back({core, {clock + iciLatency, op.count, signedScalar(op, 0), {}, {}}});
    return true;
  }
  default:
    if (!data && !known(op, 0) && assumedTrips >= 0)
      return true; // an assertion that holds
    if (!data && !known(op, 0))
      return failOp(op, TrapKind::Unknown, "depends on data that was not computed");
    if (scalar(op, 0) == 0)
      return true;
    if (op.aux < program.header.traps_size())
      return fail(TrapKind::Instruction, program.header.traps(op.aux));
    return fail(TrapKind::Instruction, absl::StrCat("code ", op.aux));
  }
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

bool Core::vectorOp(const Op &op) {
  uint32_t *d = registerAt(op.destOffset);
  constexpr size_t bytes = kCells * 4;
  auto *temporary = reinterpret_cast<uint32_t *>(scratch.data());
  switch (op.handler) {
  case Handler::Lanes:
    op.lanes(d, operand(op, 0), operand(op, 1), operand(op, 2));
    return true;
  case Handler::RotateSublanes: {
    size_t amount = scalar(op, 1) % isa::kSublanes;
    std::memcpy(temporary, operand(op, 0), bytes);
    std::memcpy(d + amount * isa::kLanes, temporary, bytes - amount * isa::kRowBytes);
    std::memcpy(d, temporary + (isa::kSublanes - amount) * isa::kLanes, amount * isa::kRowBytes);
    return true;
  }
  case Handler::GatherSublanes: {
    if (op.count) {
      op.push(temporary, operand(op, 0), operand(op, 1));
      std::memcpy(d, temporary, bytes);
      return true;
    }
    std::memcpy(temporary, operand(op, 0) + scalar(op, 1) % isa::kSublanes * isa::kLanes,
                isa::kRowBytes);
    for (int s = 0; s < isa::kSublanes; ++s)
      std::memcpy(d + s * isa::kLanes, temporary, isa::kRowBytes);
    return true;
  }
  default:
    std::memcpy(d, operand(op, 0), bytes);
    return true;
  }
}

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

template <bool data> bool Core::pop(const Op &op) {
  Fifo &fifo = fifos[op.unit];
  if (fifo.count == 0)
    return failOp(op, TrapKind::FifoEmpty, absl::StrCat("finds no result of ", unitName(op.unit)));
  int64_t readyAt = fifo.ready[size_t(fifo.head)];
  if (readyAt > clock)
    return failOp(op, TrapKind::PopTooEarly,
                  absl::StrCat("comes before the result of ", unitName(op.unit),
                               ", which is ready at cycle ", readyAt));
  if (op.handler == Handler::PopScalar) {
    *registerAt(op.destOffset) = data ? *fifo.slot(fifo.head) : 0;
    if constexpr (!data)
      setKnown(op.destOffset, false);
  } else if constexpr (data) {
    std::memcpy(registerAt(op.destOffset), fifo.slot(fifo.head), kCells * 4);
  }
  fifo.head = fifo.place(1);
  --fifo.count;
  return true;
}

template <bool data> bool Core::pushXlu(const Op &op) {
  bool isTranspose = op.handler == Handler::Transpose || op.handler == Handler::TransposeEnd;
  if (!isTranspose && transposeRows > 0)
    return failOp(
        op, TrapKind::TransposeOrder,
        absl::StrCat("comes inside a block to transpose, after ", transposeRows, " pushes"));
  if (op.handler == Handler::Transpose && transposeRows == 15)
    return failOp(op, TrapKind::TransposeOrder, "would make the block longer than 128 rows");
  if (!reserve(op, op.count))
    return false;
  if (isTranspose) {
    if constexpr (data)
      std::memcpy(transposeBlock.data() + transposeRows * kCells, operand(op, 0), kCells * 4);
    ++transposeRows;
    if (op.handler == Handler::Transpose)
      return true;
    int rows = std::exchange(transposeRows, 0) * isa::kSublanes;
    if constexpr (data)
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
  if constexpr (!data)
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

template <bool data> bool Core::latch(const Op &op) {
  if (!checkBusy(op))
    return false;
  MxuState &mxu = mxus[size_t(op.unit - kLatch)];
  mxu.latchReady = clock + op.latency;
  if (!data && !known(op, 1))
    return true;
  uint32_t group = scalar(op, 1);
  if (group >= kMxuSize / 8)
    return failOp(op, TrapKind::BadOperand, absl::StrCat("names group ", int32_t(group), " of 16"));
  if constexpr (!data)
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

template <bool data> bool Core::swapWeights(const Op &op) {
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
  if (!data && (!known(op, 0) || !known(op, 1)))
    return true;
  uint32_t k = scalar(op, 0), n = scalar(op, 1);
  if (k > kMxuSize || n > kMxuSize)
    return failOp(op, TrapKind::BadOperand,
                  absl::StrCat("has extents ", int32_t(k), " x ", int32_t(n), " of 128 x 128"));
  if constexpr (!data)
    return true;
  clearRest(mxu, int(k), int(n));
  mxu.current = 1 - mxu.current;
  mxu.k = int(k);
  mxu.n = int(n);
  mxu.rowGroups = mxu.columnGroups = 0;
  return true;
}

template <bool data> bool Core::pushArray(const Op &op) {
  if (!reserve(op, 1))
    return false;
  if (!data && !known(op, 1))
    return true;
  uint32_t rows = scalar(op, 1);
  if (rows > isa::kSublanes)
    return failOp(op, TrapKind::BadOperand, absl::StrCat("has ", int32_t(rows), " rows of 8"));
  if constexpr (!data)
    return true;
  MxuState &mxu = mxus[size_t(op.unit - kMxu)];
  if (op.handler == Handler::Push)
    table.push(newResult(op), operand(op, 0), mxu.latched(), int(rows), mxu.k, mxu.n);
  else
    table.pushS8(newResult(op), operand(op, 0), mxu.latched(), int(rows), mxu.k, mxu.n);
  return true;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

template <bool data> bool Core::startCopy(const Op &op) {
  if (!checkBusy(op))
    return false;
  const bool allOfIt = !data && !known(op, 4) && assumedTrips >= 0;
  if (!data && (!known(op, 2) || !known(op, 3) || !(known(op, 4) || allOfIt)))
    return failOp(op, TrapKind::Unknown, "has a region or count that was not computed");
  CopyRequest request{&program.header.descriptors(op.aux),
                      signedScalar(op, 0),
                      signedScalar(op, 1),
                      signedScalar(op, 2),
                      signedScalar(op, 3),
                      allOfIt ? -1 : signedScalar(op, 4),
                      op.count,
                      data || known(op, 0),
                      data || known(op, 1)};
  int to = request.descriptor->dst_core();
  if (request.count == 0 && (to < 0 || to == index)) {
    ++flags[op.count];
    return true;
  }
  int kernel = kernelOf(code.blocks[size_t(block)]);
  KernelStats &stats = statsOf(kernel);
  const int64_t hbmBefore = stats.hbmReadBytes + stats.hbmWriteBytes;
  if (auto fault = dma.start(request, clock, memory, stats)) {
    trapInfo.cause = fault->cause;
    return failOp(op, fault->kind, fault->text);
  }
  nextEvent = std::min(nextEvent, dma.nextCompletion());
  addTrace({TraceEvent::Kind::Copy, index, kernel, clock, dma.lastFinish(), dma.lastBytes(),
            stats.hbmReadBytes + stats.hbmWriteBytes - hbmBefore});
  if (auto message = dma.takeMessage())
    outgoing.push_back({to, *std::move(message)});
  return true;
}

} // namespace systole::emulation
