// DMAs and semaphores of Mosaic kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Mosaic/Translator.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::mosaic {

/// One side of a copy: the buffer, where the box begins, and from its indices to those of the
/// buffer. The first index is that of dimension `first` of the memref.
struct Side {
  Value buffer;
  SmallVector<Value> offsets;
  AffineMap map;
};

static Side sideOf(OpBuilder &b, Location loc, const Ref &ref, int64_t first) {
  Side side{ref.buffer, {}, {}};
  if (llvm::any_of(ref.first, [](const Index &index) { return index != Index(); }))
    for (const Index &index : ref.first)
      side.offsets.push_back(materialize(b, loc, index));
  SmallVector<AffineExpr> results(ref.type().getRank(), b.getAffineConstantExpr(0));
  for (auto [number, dim] : llvm::enumerate(ref.dimOf))
    if (dim >= 0)
      results[dim] = b.getAffineDimExpr(int64_t(number) == first  ? 0
                                        : int64_t(number) < first ? number + 1
                                                                  : number);
  side.map = AffineMap::get(ref.shape.size(), 0, results, b.getContext());
  return side;
}

/// The side from index `number` of the first dimension on.
static Side sliceOf(OpBuilder &b, Location loc, Side side, Value number) {
  if (side.offsets.empty())
    side.offsets.assign(side.map.getNumResults(), arith::ConstantIntOp::create(b, loc, 0, 32));
  for (auto [offset, result] : llvm::zip_equal(side.offsets, side.map.getResults()))
    if (result == b.getAffineDimExpr(0))
      offset = arith::AddIOp::create(b, loc, offset, number);
  return side;
}

static bool isInVmem(const Ref &ref) { return ref.type().getSpace() == kernel::Space::vmem; }

static SmallVector<Value> indicesOf(OpBuilder &b, Location loc, const Ref &semaphore) {
  return llvm::map_to_vector(semaphore.first,
                             [&](const Index &index) { return materialize(b, loc, index); });
}

LogicalResult TransferTranslator::visit(Operation *op) {
  // Vector operations in front of a transfer are staged in front of it.
  if (failed(flush(op->getLoc())))
    return failure();
  Location loc = op->getLoc();
  auto refOf = [&](Value memref) -> const Ref * {
    auto it = values.refs.find(memref);
    return it == values.refs.end() ? nullptr : &it->second;
  };
  auto arrayOf = [&](Value memref) -> std::optional<Ref> {
    const Ref *ref = refOf(memref);
    // One panel is an array itself.
    if (!ref || (ref->isPanels && ref->shape.back() != kLanes))
      return std::nullopt;
    std::optional<Ref> array = ref->inElementsOfBuffer();
    if (array)
      array->isPanels = false;
    return array;
  };
  auto copy = [&]<typename Copy>(Value from, Value to, Value flag) -> LogicalResult {
    const Ref *semaphore = refOf(flag);
    std::optional<Ref> source = arrayOf(from), target = arrayOf(to);
    if (!source || !target || !semaphore ||
        source->type().getStorageBits() != target->type().getStorageBits())
      return emitUnsupported(op);
    const Ref &sized = source->count ? *source : *target;
    if (source->count && target->count && source->counted != target->counted)
      return emitUnsupported(op, " of different dimensions");
    const int64_t first = std::max<int64_t>(sized.counted, 0);
    Side src = sideOf(b, loc, *source, first), dst = sideOf(b, loc, *target, first);
    SmallVector<int64_t> sizes;
    for (auto [x, y] : llvm::zip_equal(source->shape, target->shape))
      sizes.push_back(std::min(x, y));
    if (!sizes.empty())
      std::rotate(sizes.begin(), sizes.begin() + first, sizes.begin() + first + 1);
    SmallVector<Value> indices = indicesOf(b, loc, *semaphore);
    auto create = [&](const Side &from, const Side &to, Value count) {
      Copy::create(b, loc, from.buffer, to.buffer, from.offsets, to.offsets, semaphore->buffer,
                   indices, count, sizes, from.map, to.map);
    };
    if (std::is_same_v<Copy, kernel::WaitCopyOp> || !sized.count || !isInVmem(*source) ||
        !isInVmem(*target)) {
      create(src, dst, sized.count);
      return success();
    }
    // The vector unit copies one slice after the other.
    sizes.front() = 1;
    auto constant = [&](int64_t value) {
      return arith::ConstantIntOp::create(b, loc, value, 32).getResult();
    };
    auto loop = scf::ForOp::create(b, loc, constant(0), sized.count, constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    create(sliceOf(b, loc, src, loop.getInductionVar()),
           sliceOf(b, loc, dst, loop.getInductionVar()), nullptr);
    return success();
  };
  auto isRemote = [](auto transfer) { return transfer.getDeviceId() || transfer.getCoreId(); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tpu::EnqueueDMAOp start) {
        if (isRemote(start) || start.getSourceSemaphore() || !start.getTargetSemaphore())
          return LogicalResult(emitUnsupported(op, " between devices"));
        return copy.template operator()<kernel::StartCopyOp>(start.getSource(), start.getTarget(),
                                                             start.getTargetSemaphore());
      })
      .Case([&](tpu::WaitDMA2Op wait) {
        if (isRemote(wait))
          return LogicalResult(emitUnsupported(op, " between devices"));
        return copy.template operator()<kernel::WaitCopyOp>(wait.getSrc(), wait.getDst(),
                                                            wait.getSemaphore());
      })
      .Case([&](tpu::SemaphoreSignalOp signal) {
        const Ref *semaphore = refOf(signal.getSemaphore());
        Value amount = scalar(signal.getAmount());
        if (isRemote(signal) || !semaphore)
          return LogicalResult(emitUnsupported(op));
        if (!amount)
          return failure();
        kernel::SignalOp::create(b, loc, amount, semaphore->buffer, indicesOf(b, loc, *semaphore));
        return success();
      })
      .Case([&](tpu::SemaphoreWaitOp wait) {
        const Ref *semaphore = refOf(wait.getSemaphore());
        Value amount = scalar(wait.getAmount());
        if (!semaphore)
          return LogicalResult(emitUnsupported(op));
        if (!amount)
          return failure();
        kernel::WaitSemaphoreOp::create(b, loc, amount, semaphore->buffer,
                                        indicesOf(b, loc, *semaphore));
        return success();
      })
      .Case([&](tpu::SemaphoreReadOp read) {
        const Ref *semaphore = refOf(read.getSemaphore());
        if (!semaphore)
          return LogicalResult(emitUnsupported(op));
        values.scalars[read.getResult()] = kernel::ReadSemaphoreOp::create(
            b, loc, b.getI32Type(), semaphore->buffer, indicesOf(b, loc, *semaphore));
        return success();
      })
      .Default([&](Operation *) { return emitUnsupported(op); });
}

} // namespace systole::mosaic
