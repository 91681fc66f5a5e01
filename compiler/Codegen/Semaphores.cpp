// Lowers semaphores of a kernel, and the copies that count on them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Semaphores.h"

#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/CopyDma.h"
#include "compiler/Codegen/SmemCopy.h"
#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/Kernel/SyncFlags.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

static int64_t elementsOf(kernel::BufferType type) { return type.getRows() * type.getLaneCount(); }

Semaphores::Semaphores(kernel::FuncOp kernel) {
  kernel.walk([&](kernel::AllocOp alloc) {
    kernel::BufferType type = alloc.getResult().getType();
    if (type.getSpace() != kernel::Space::flags)
      return;
    total += elementsOf(type);
    flags[alloc] = static_cast<int>(std::max<int64_t>(kernel::kOperandFlags - total, 0));
  });
}

void Semaphores::emitCheck(Emitter &e) const {
  Value any;
  for (int64_t flag = kernel::kOperandFlags - total; flag < kernel::kOperandFlags; ++flag) {
    Value value = core::FlagReadOp::create(e.b, e.loc, e.b.getI32Type(), uint32_t(flag));
    any = any ? e.bitOr(any, value) : value;
  }
  if (any)
    core::TrapOp::create(e.b, e.loc, any, /*code=*/0);
}

LogicalResult Semaphores::verify(kernel::FuncOp kernel) const {
  if (total <= kernel::kOperandFlags)
    return success();
  return emitUnimplemented(kernel.getLoc())
         << "kernel '" << kernel.getSymName() << "' has " << total << " semaphores; up to "
         << kernel::kOperandFlags << " are supported";
}

/// A semaphore: one of those that begin at `firstFlag`.
namespace {
struct Semaphore {
  int firstFlag = 0;
  int64_t count = 1;
  Value number; ///< a scalar
};
} // namespace

Value codegen::wordAddress(Emitter &e, const BufferRef &buffer, ArrayRef<Value> indices) {
  Value address = e.constant(0);
  int64_t stride = 1;
  for (auto [index, extent] : llvm::reverse(llvm::zip_equal(indices, buffer.type.getShape()))) {
    address = e.add(address, e.mul(index, stride));
    stride *= extent;
  }
  return address;
}

/// The semaphore of a buffer at `indices`. The first ones that are constants leave fewer flags.
static Semaphore semaphoreAt(Emitter &e, const BufferRef &buffer, ArrayRef<Value> indices) {
  Semaphore semaphore{buffer.region, elementsOf(buffer.type), e.constant(0)};
  int64_t stride = semaphore.count;
  bool isKnown = true;
  for (auto [index, extent] : llvm::zip_equal(indices, buffer.type.getShape())) {
    stride /= extent;
    std::optional<int32_t> constant = e.constantValue(index);
    isKnown &= constant && *constant >= 0 && *constant < extent;
    if (isKnown) {
      semaphore.firstFlag += static_cast<int>(*constant * stride);
      semaphore.count = stride;
    } else {
      semaphore.number = e.add(semaphore.number, e.mul(index, stride));
    }
  }
  return semaphore;
}

static void chooseFlag(Emitter &e, const Semaphore &semaphore, int64_t begin, int64_t end,
                       llvm::function_ref<void(int)> body) {
  if (end - begin == 1)
    return body(semaphore.firstFlag + static_cast<int>(begin));
  int64_t middle = begin + (end - begin) / 2;
  e.ifElse(
      e.less(semaphore.number, e.constant(middle)),
      [&] { chooseFlag(e, semaphore, begin, middle, body); },
      [&] { chooseFlag(e, semaphore, middle, end, body); });
}

/// Emits what `body` does with the flag of a semaphore.
static void withFlag(Emitter &e, const Semaphore &semaphore,
                     llvm::function_ref<void(int flag)> body) {
  if (std::optional<int32_t> known = e.constantValue(semaphore.number))
    return body(semaphore.firstFlag + *known);
  chooseFlag(e, semaphore, 0, semaphore.count, body);
}

static kernel::Space spaceOf(const BufferRef &buffer) { return buffer.type.getSpace(); }

/// Whether DMA moves the elements; a copy within VMEM the vector unit does at once.
static bool isWithinVmem(const CopyWork &work) {
  return spaceOf(work.source) == kernel::Space::vmem &&
         spaceOf(work.destination) == kernel::Space::vmem;
}

static LogicalResult unsupported(Operation *op) {
  return emitUnimplemented(op->getLoc())
         << "a copy between " << op->getOperand(0).getType() << " and "
         << op->getOperand(1).getType()
         << " is not supported where it does not move whole rows of 512 bytes of both";
}

static bool isWithSmem(const CopyWork &work) {
  return spaceOf(work.source) == kernel::Space::smem ||
         spaceOf(work.destination) == kernel::Space::smem;
}

namespace {
/// A copy that counts on a semaphore: all its indices, or `counted` times those of its box.
struct SemaphoreCopy {
  CopyWork work;
  SmallVector<int64_t> sizes; ///< of the box
  AffineMap srcMap, dstMap;
  SmallVector<Value> srcOffsets, dstOffsets;
  std::optional<CountedDim> counted;
  Semaphore semaphore;

  CopyIndices indices() const {
    return {work.source.type, work.destination.type, sizes, srcMap, dstMap};
  }
  CopyBox box() const { return boxOf(work.e, indices(), srcOffsets, dstOffsets); }
};
} // namespace

/// The lanes by which the first dimension of a map steps; nothing if these are no rows.
static std::optional<int64_t> firstStep(kernel::BufferType type, AffineMap map) {
  for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim)
    if (map.getResult(dim) == getAffineDimExpr(0, map.getContext()))
      return type.getPitch(dim) * kLanes;
  return std::nullopt;
}

/// The words of 32 bits that a copy moves, a scalar; null if that is not known.
static Value wordsOf(const SemaphoreCopy &copy) {
  const bool withSmem = isWithSmem(copy.work);
  if (!withSmem)
    if (Value words = codegen::wordsOf(copy.work, copy.box(), copy.counted))
      return words;
  if (copy.counted || (!withSmem && !isWithinVmem(copy.work)))
    return nullptr;
  int64_t bits = copy.work.source.type.getStorageBits();
  for (int64_t size : copy.sizes)
    bits *= size;
  return copy.work.e.constant(llvm::divideCeil(bits, 32));
}

/// Starts a copy that counts on a semaphore.
static LogicalResult lowerStart(kernel::StartCopyOp op, const SemaphoreCopy &copy) {
  Emitter &e = copy.work.e;
  if (isWithinVmem(copy.work)) {
    if (copy.counted)
      return unsupported(op);
    emitVectorCopy(copy.work, copy.box());
    Value words = wordsOf(copy);
    withFlag(e, copy.semaphore, [&](int flag) {
      core::FlagAddOp::create(e.b, e.loc, words, e.constant(-1), uint32_t(flag));
    });
    return success();
  }
  if (isWithSmem(copy.work) && copy.counted)
    return unsupported(op);
  bool hasFailed = false;
  withFlag(e, copy.semaphore, [&](int flag) {
    hasFailed |=
        failed(isWithSmem(copy.work) ? startSmemCopy(copy.work, copy.indices(), copy.srcOffsets,
                                                     copy.dstOffsets, flag)
                                     : startDmaCopy(copy.work, copy.box(), copy.counted, flag));
  });
  return hasFailed ? unsupported(op) : success();
}

/// Waits for the words of such a copy.
static LogicalResult lowerWait(kernel::WaitCopyOp op, const SemaphoreCopy &copy) {
  Emitter &e = copy.work.e;
  Value words = wordsOf(copy);
  if (!words)
    return unsupported(op);
  withFlag(e, copy.semaphore, [&](int flag) { e.wait(words, flag); });
  return success();
}

LogicalResult codegen::lowerSemaphore(Operation &op, Emitter &e,
                                      llvm::function_ref<BufferRef(Value)> bufferOf,
                                      llvm::function_ref<SmallVector<Value>(ValueRange)> scalarsOf,
                                      llvm::function_ref<void(Value, Value)> setScalar) {
  auto semaphoreOf = [&](auto named) {
    return semaphoreAt(e, bufferOf(named.getSemaphore()), scalarsOf(named.getIndices()));
  };
  auto lowerCopy = [&](auto copy, auto lower) -> LogicalResult {
    SemaphoreCopy known{{e, bufferOf(copy.getSource()), bufferOf(copy.getDestination())},
                        SmallVector<int64_t>(copy.getSizes()),
                        copy.getSrcMap(),
                        copy.getDstMap(),
                        scalarsOf(copy.getSrcOffsets()),
                        scalarsOf(copy.getDstOffsets()),
                        std::nullopt,
                        semaphoreOf(copy)};
    if (copy.getCount()) {
      std::optional<int64_t> src = firstStep(known.work.source.type, known.srcMap),
                             dst = firstStep(known.work.destination.type, known.dstMap);
      if (!src || !dst)
        return unsupported(copy);
      known.counted =
          CountedDim{{known.sizes.front(), *src, *dst}, scalarsOf(copy.getCount()).front()};
      known.sizes.front() = 1;
    }
    return lower(copy, known);
  };
  if (auto start = dyn_cast<kernel::StartCopyOp>(op))
    return lowerCopy(start, lowerStart);
  if (auto wait = dyn_cast<kernel::WaitCopyOp>(op))
    return lowerCopy(wait, lowerWait);
  if (auto signal = dyn_cast<kernel::SignalOp>(op)) {
    Value value = scalarsOf(signal.getValue()).front();
    withFlag(e, semaphoreOf(signal), [&](int flag) {
      core::FlagAddOp::create(e.b, e.loc, value, e.constant(-1), uint32_t(flag));
    });
    return success();
  }
  if (auto wait = dyn_cast<kernel::WaitSemaphoreOp>(op)) {
    Value value = scalarsOf(wait.getValue()).front();
    withFlag(e, semaphoreOf(wait), [&](int flag) { e.wait(value, flag); });
    return success();
  }
  auto read = cast<kernel::ReadSemaphoreOp>(op);
  Semaphore semaphore = semaphoreOf(read);
  // Reading a flag changes nothing: of several, all are read.
  std::optional<int32_t> known = e.constantValue(semaphore.number);
  Value found = e.constant(0);
  for (int64_t number = 0; number < semaphore.count; ++number) {
    if (known && *known != number)
      continue;
    Value value = core::FlagReadOp::create(e.b, e.loc, e.b.getI32Type(),
                                           uint32_t(semaphore.firstFlag + number));
    Value isIt = known ? e.constant(1)
                       : core::SEqOp::create(e.b, e.loc, e.b.getI32Type(), semaphore.number,
                                             e.constant(number));
    found = e.select(isIt, value, found);
  }
  setScalar(read.getResult(), found);
  return success();
}
