// The interpreter's loop over bundles, and the operations of the scalar and the vector unit and of
// the copy engine.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/InstructionSet/Scalars.h"
#include "runtime/Emulator/Core.h"

namespace systole::emulation {

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

template <Mode mode> void Core::runWith(int64_t blocks) {
  while (blocks-- > 0 && runState == RunState::Running && outgoing.empty()) {
    const Block &b = code.blocks[size_t(block)];
    if (!instructions.isResident(b.overlay)) {
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
    controlOrigin = kKnown;
    bool goesOn;
    if constexpr (mode == Mode::Full)
      goesOn = executeBundles<Mode::Full>(b);
    else
      goesOn = isComputed(b) ? executeBundles<Mode::Known>(b) : executeBundles<Mode::Clock>(b);
    if (!goesOn)
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

template void Core::runWith<Mode::Full>(int64_t);
template void Core::runWith<Mode::Clock>(int64_t);

bool Core::isComputed(const Block &b) {
  const int kernel = kernelOf(b), now = demand->callOf(kernel);
  const bool is = demand->computes(kernel);
  if (now != call && is) {
    // It finds nothing in vector registers that was computed, and in VMEM at most scalars that
    // control between kernels has spilled.
    if (!demand->computes(-1))
      memory.forgetVmem();
    std::fill(registerOrigins.begin() + kVectorBase, registerOrigins.end(), kNever);
  }
  call = now;
  return is;
}

template <Mode mode> bool Core::executeBundles(const Block &b) {
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
      if (!execute<mode>(*op))
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

template <Mode mode> bool Core::execute(const Op &op) {
  switch (op.handler) {
  case Handler::Scalar:
    *registerAt(op.destOffset) =
        evaluateScalar(op.opcode, scalar(op, 0), scalar(op, 1), scalar(op, 2));
    if constexpr (tracks(mode))
      originAt(op.destOffset) = originOfReads(op);
    return true;
  case Handler::SmemLoad:
  case Handler::SmemStore:
    return scalarMemory<mode>(op);
  case Handler::FlagRead:
  case Handler::FlagAdd:
  case Handler::Trap:
    return flagOrTrap<mode>(op);
  case Handler::ControlValue:
    controlValue = scalar(op, 0);
    if constexpr (tracks(mode))
      controlOrigin = originOf(op, 0);
    return true;
  case Handler::Load:
    return load<mode>(op);
  case Handler::Store:
    return store<mode>(op);
  case Handler::Lanes:
  case Handler::RotateSublanes:
  case Handler::GatherSublanes:
  case Handler::CommitVector:
  case Handler::CommitMask:
    return vectorOp<mode>(op);
  case Handler::CommitScalar:
    *registerAt(op.destOffset) = scalar(op, 0);
    if constexpr (tracks(mode))
      originAt(op.destOffset) = originAt(op.operands[0]);
    return true;
  case Handler::Rotate:
  case Handler::Broadcast:
  case Handler::GatherLanes:
  case Handler::Reduce:
  case Handler::Transpose:
  case Handler::TransposeEnd:
    return pushXlu<mode>(op);
  case Handler::Eup:
  case Handler::ToScalar:
    return pushCells<mode>(op);
  case Handler::Latch:
  case Handler::LatchTransposed:
  case Handler::LatchS8:
    return latch<mode>(op);
  case Handler::Swap:
    return swapWeights<mode>(op);
  case Handler::Push:
  case Handler::PushS8:
  case Handler::PushWide:
    return pushArray<mode>(op);
  case Handler::PopVector:
  case Handler::PopScalar:
    return pop<mode>(op);
  case Handler::Copy:
    return startCopy<mode>(op);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

static int registerAtOffset(int32_t offset) {
  constexpr int size = kCells * 4;
  if (offset >= int32_t(offsetof(Registers, s)))
    return (offset - int32_t(offsetof(Registers, s))) / 4;
  if (offset >= int32_t(offsetof(Registers, m)))
    return kMaskBase + (offset - int32_t(offsetof(Registers, m))) / size;
  return kVectorBase + offset / size;
}

Origin &Core::originAt(int32_t offset) { return registerOrigins[size_t(registerAtOffset(offset))]; }

Origin Core::originOf(const Op &op, int i) const {
  int32_t offset = op.operands[size_t(i)];
  // Operands that the instruction does not have are offset 0, a vector register.
  bool isScalar = !(op.literals >> i & 1) && offset >= int32_t(offsetof(Registers, s));
  return isScalar ? registerOrigins[size_t(registerAtOffset(offset))] : kKnown;
}

Origin Core::originOfReads(const Op &op) const {
  Origin origin = kKnown;
  for (int r = 0; r < op.numReads; ++r)
    if (Origin each = registerOrigins[op.reads[size_t(r)]]; each != kKnown)
      origin = demand->origins().join(origin, each);
  return origin;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

template <Mode mode> bool Core::flagOrTrap(const Op &op) {
  switch (op.handler) {
  case Handler::FlagRead:
    *registerAt(op.destOffset) = uint32_t(flags[op.count]);
    if constexpr (tracks(mode))
      originAt(op.destOffset) = kKnown;
    return true;
  case Handler::FlagAdd: {
    if constexpr (tracks(mode))
      if (Origin origin = join(originOf(op, 0), originOf(op, 1)); origin != kKnown) {
        demand->need(origin);
        return failOp(op, TrapKind::Unknown, "depends on data that was not computed");
      }
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
    // Without data, assertions hold.
    if (tracks(mode) && originOf(op, 0) != kKnown)
      return true;
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

template <Mode mode> bool Core::vectorOp(const Op &op) {
  if constexpr (mode == Mode::Clock)
    return true;
  if constexpr (mode == Mode::Known) {
    const bool commits = op.handler == Handler::CommitVector || op.handler == Handler::CommitMask;
    Origin &result = originAt(op.destOffset);
    result = commits ? originAt(op.operands[0]) : originOfReads(op);
    if (result != kKnown)
      return true;
  }
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
// Copies
//===----------------------------------------------------------------------===//

template <Mode mode> bool Core::startCopy(const Op &op) {
  if (!checkBusy(op))
    return false;
  bool allOfIt = false;
  if constexpr (tracks(mode)) {
    const Origin regions = join(originOf(op, 2), originOf(op, 3)), count = originOf(op, 4);
    allOfIt = count != kKnown;
    if (regions != kKnown || allOfIt)
      demand->need(join(regions, count));
    if (regions != kKnown)
      return failOp(op, TrapKind::Unknown, "has a region that was not computed");
    if (allOfIt && assumedTrips < 0 && !demand->missingStatement())
      demand->needStatement(describe(TrapKind::Unknown,
                                     "the count of a copy depends on data that a run for timing "
                                     "only does not compute; --assume-trips takes the largest"));
  }
  CopyRequest request{&program.header.descriptors(op.aux),
                      signedScalar(op, 0),
                      signedScalar(op, 1),
                      signedScalar(op, 2),
                      signedScalar(op, 3),
                      allOfIt ? -1 : signedScalar(op, 4),
                      op.count};
  if constexpr (tracks(mode)) {
    request.dstOrigin = originOf(op, 0);
    request.srcOrigin = originOf(op, 1);
    request.kernel = kernelOf(code.blocks[size_t(block)]);
    request.isComputed = mode == Mode::Known;
  }
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
  if (countsCopies)
    countCopy(request, kernel);
  addTrace({TraceEvent::Kind::Copy, index, kernel, clock, dma.lastFinish(), dma.lastBytes(),
            stats.hbmReadBytes + stats.hbmWriteBytes - hbmBefore});
  if (auto message = dma.takeMessage())
    outgoing.push_back({to, *std::move(message)});
  return true;
}

} // namespace systole::emulation
