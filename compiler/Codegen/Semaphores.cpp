// Lowers semaphores of a kernel, and the copies that count on them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Semaphores.h"

#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/CopyDma.h"
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

/// Whether the copy is that of consecutive elements between HBM and a whole SMEM buffer.
static bool isStream(const CopyWork &work, ArrayRef<int64_t> sizes, ValueRange srcOffsets,
                     ValueRange dstOffsets) {
  const bool isIn = spaceOf(work.source) == kernel::Space::hbm;
  const BufferRef &words = isIn ? work.destination : work.source,
                  &array = isIn ? work.source : work.destination;
  return spaceOf(array) == kernel::Space::hbm && spaceOf(words) == kernel::Space::smem &&
         words.type.getStorageBits() == 32 && (isIn ? dstOffsets : srcOffsets).empty() &&
         (isIn || dstOffsets.empty()) && llvm::equal(sizes, words.type.getShape());
}

static LogicalResult unsupported(Operation *op) {
  return emitUnimplemented(op->getLoc())
         << "a copy between " << op->getOperand(0).getType() << " and "
         << op->getOperand(1).getType()
         << " is not supported where it does not move whole rows of 512 bytes of both";
}

/// Starts a copy that counts on a semaphore.
static LogicalResult lowerStartCopy(kernel::StartCopyOp op, const CopyWork &work,
                                    ValueRange srcOffsets, ValueRange dstOffsets,
                                    const Semaphore &semaphore) {
  Emitter &e = work.e;
  if (isWithinVmem(work)) {
    emitVectorCopy(work, boxOf(e, indicesOf(op), srcOffsets, dstOffsets));
    withFlag(e, semaphore, [&](int flag) {
      core::FlagAddOp::create(e.b, e.loc, e.constant(1), e.constant(-1), uint32_t(flag));
    });
    return success();
  }
  if (isStream(work, op.getSizes(), srcOffsets, dstOffsets)) {
    withFlag(e, semaphore, [&](int flag) {
      if (spaceOf(work.source) == kernel::Space::hbm)
        startStreamCopy(work, srcOffsets, flag);
      else
        startWordsCopy(work, flag);
    });
    return success();
  }
  if (spaceOf(work.source) == kernel::Space::smem ||
      spaceOf(work.destination) == kernel::Space::smem)
    return unsupported(op);
  bool hasFailed = false;
  withFlag(e, semaphore, [&](int flag) {
    hasFailed |= !startDmaCopy(work, boxOf(e, indicesOf(op), srcOffsets, dstOffsets), flag);
  });
  return hasFailed ? unsupported(op) : success();
}

/// Waits for such a copy.
static LogicalResult lowerWaitCopy(kernel::WaitCopyOp op, const CopyWork &work,
                                   ValueRange srcOffsets, ValueRange dstOffsets,
                                   const Semaphore &semaphore) {
  Emitter &e = work.e;
  std::optional<int64_t> copies = 1;
  if (!isWithinVmem(work) && !isStream(work, op.getSizes(), srcOffsets, dstOffsets)) {
    if (spaceOf(work.source) == kernel::Space::smem ||
        spaceOf(work.destination) == kernel::Space::smem)
      return unsupported(op);
    copies = dmasOf(work, boxOf(e, indicesOf(op), srcOffsets, dstOffsets));
  }
  if (!copies)
    return unsupported(op);
  withFlag(e, semaphore, [&](int flag) { e.wait(e.constant(*copies), flag); });
  return success();
}

LogicalResult codegen::lowerSemaphore(Operation &op, Emitter &e,
                                      llvm::function_ref<BufferRef(Value)> bufferOf,
                                      llvm::function_ref<SmallVector<Value>(ValueRange)> scalarsOf,
                                      llvm::function_ref<void(Value, Value)> setScalar) {
  auto semaphoreOf = [&](auto named) {
    BufferRef ref = bufferOf(named.getSemaphore());
    return Semaphore{ref.region, elementsOf(ref.type),
                     wordAddress(e, ref, scalarsOf(named.getIndices()))};
  };
  auto lowerCopy = [&](auto copy, auto lower) {
    CopyWork work{e, bufferOf(copy.getSource()), bufferOf(copy.getDestination())};
    return lower(copy, work, scalarsOf(copy.getSrcOffsets()), scalarsOf(copy.getDstOffsets()),
                 semaphoreOf(copy));
  };
  if (auto start = dyn_cast<kernel::StartCopyOp>(op))
    return lowerCopy(start, lowerStartCopy);
  if (auto wait = dyn_cast<kernel::WaitCopyOp>(op))
    return lowerCopy(wait, lowerWaitCopy);
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
