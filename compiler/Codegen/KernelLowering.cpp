// Lowers the stages of a kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/KernelLowering.h"

#include "compiler/Codegen/LogMessages.h"
#include "dialects/Kernel/Attributes.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

KernelLowering::KernelLowering(kernel::FuncOp kernel, ValueRange arguments, Emitter &emitter,
                               KernelMemory &memory, const KernelOptions &options)
    : ControlLowering(emitter), kernel(kernel), arguments(arguments), memory(memory),
      options(options), liveness(kernel), streams(kernel, emitter.machine, options.runAhead),
      semaphores(kernel) {
  for (int64_t extent : kernel.getGrid())
    steps *= extent;
}

LogicalResult KernelLowering::lower() {
  if (failed(semaphores.verify(kernel)) || failed(bindOperands()))
    return failure();
  llvm::SaveAndRestore keepsLines(e.keepsLines, kernel->hasAttr(kernel::kMosaicAttr));
  assignFlags();
  allocateBuffers();
  if (failed(steps == 1 ? lowerOnce() : lowerSteps()))
    return failure();
  e.loc = kernel.getLoc();
  semaphores.emitCheck(e);
  return success();
}

SmallVector<BufferRef> KernelLowering::refs(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return buffer(value); });
}

LogicalResult KernelLowering::lowerOther(Operation &op) {
  e.beginStage(op.getLoc());
  LiveRange now{liveness.position(&op), liveness.position(&op)};
  if (side && streams.isDivided())
    now.stream = *side == StageStreams::ahead ? kAheadStream : kBehindStream;
  memory.setStage(now, op.getLoc());
  auto captured = [&](Value value) { return scalar(value); };
  StageOptions stage{options.excessPrecision, captured};
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([](kernel::AllocOp) { return success(); })
      .Case([&](kernel::ViewOp view) {
        BufferRef ref = buffer(view.getSource());
        ref.type = view.getResult().getType();
        buffers[view.getResult()] = ref;
        return success();
      })
      .Case([&](kernel::BitcastOp bitcast) {
        BufferRef ref = buffer(bitcast.getSource());
        // Addresses count logical rows.
        int64_t from = ref.type.getStorageBits();
        ref.type = bitcast.getResult().getType();
        int64_t to = ref.type.getStorageBits();
        if (ref.base)
          ref.base = from > to ? e.mul(ref.base, from / to) : e.divide(ref.base, to / from);
        buffers[bitcast.getResult()] = ref;
        return success();
      })
      .Case([&](kernel::RowsOp rows) {
        BufferRef ref = buffer(rows.getSource());
        Value row = scalar(rows.getRow());
        ref.type = rows.getResult().getType();
        ref.base = ref.base ? e.add(ref.base, row) : row;
        ref.isPart = !rows.getAligned();
        buffers[rows.getResult()] = ref;
        return success();
      })
      .Case([&](kernel::SlotOp slot) {
        BufferRef ref = buffer(slot.getSource());
        const int64_t rows = ref.type.getPhysicalRows() * (32 / ref.type.getStorageBits());
        ref.base = e.mul(scalar(slot.getIndex()), rows);
        buffers[slot.getResult()] = ref;
        return success();
      })
      .Case([&](kernel::LoadScalarOp load) { return lowerLoadScalar(load); })
      .Case([&](kernel::StoreScalarOp store) {
        BufferRef target = buffer(store.getBuffer());
        core::SStoreOp::create(e.b, e.loc, scalar(store.getValue()),
                               wordAddress(e, target, scalars(store.getIndices())),
                               e.b.getI32IntegerAttr(target.region));
        return success();
      })
      .Case([&](kernel::LogOp log) {
        lowerLog(log, scalar(log.getWord()), e);
        return success();
      })
      .Case([&](kernel::ReadElementOp read) {
        BufferRef source = buffer(read.getBuffer());
        Value zero = e.constant(0);
        core::V2SOp::create(e.b, e.loc, e.load(source, zero, zero), zero, zero);
        setScalar(read.getResult(), core::V2SPopOp::create(e.b, e.loc, e.b.getI32Type()));
        return success();
      })
      .Case([&](kernel::OverlapOp overlap) { return lowerOverlap(overlap); })
      .Case([&](kernel::MapOp map) {
        return lowerMap(map, refs(map.getInputs()), refs(map.getOutputs()), e, stage);
      })
      .Case([&](kernel::ReduceOp reduce) {
        return lowerReduce(reduce, refs(reduce.getInputs()), refs(reduce.getInits()),
                           refs(reduce.getOutputs()), e, stage);
      })
      .Case([&](kernel::TakeOp take) {
        lowerTake(take, buffer(take.getTable()), buffer(take.getIndices()), buffer(take.getOut()),
                  e);
        return success();
      })
      .Case([&](kernel::SortOp sort) {
        return lowerSort(sort, refs(sort.getInputs()), refs(sort.getOutputs()), e, stage);
      })
      .Case([&](kernel::CopyOp copy) {
        return lowerCopy(copy, buffer(copy.getSource()), buffer(copy.getDestination()),
                         scalars(copy.getSrcOffsets()), scalars(copy.getDstOffsets()), e);
      })
      .Case([&](kernel::DotOp dot) { return lowerProduct(dot); })
      .Case([&](kernel::ContractOp contract) { return lowerProduct(contract); })
      .Case<kernel::StartCopyOp, kernel::WaitCopyOp, kernel::SignalOp, kernel::WaitSemaphoreOp,
            kernel::ReadSemaphoreOp>([&](auto) {
        auto bufferOf = [&](Value value) { return buffer(value); };
        auto scalarsOf = [&](ValueRange range) { return scalars(range); };
        auto set = [&](Value value, Value lowered) { setScalar(value, lowered); };
        return lowerSemaphore(op, e, bufferOf, scalarsOf, set);
      })
      .Default([](Operation *other) { return other->emitOpError("is not a stage of a kernel"); });
}

template <typename Op> LogicalResult KernelLowering::lowerProduct(Op op) {
  DotBuffers operands{buffer(op.getLhs()), buffer(op.getRhs()), buffer(op.getOut()), {}};
  if (op.getRounded())
    operands.rounded = buffer(op.getRounded());
  bool exchanged = false;
  if constexpr (std::is_same_v<Op, kernel::DotOp>) {
    exchanged = op.getExchanged();
    for (const BlockedOperand &operand : this->operands)
      if (isFirstStep && operand.pieces && operand.pieces->product == op)
        return lowerPieces(operand, operands), success();
  }
  lowerDot(shapeOf(op), op.getPrecision(), op.getAccumulate(), exchanged, operands,
           options.splitOnce, e, memory);
  return success();
}

void KernelLowering::lowerPieces(const BlockedOperand &operand, const DotBuffers &buffers) {
  kernel::DotOp op = operand.pieces->product;
  DotShape shape = shapeOf(op);
  DotDim &rows = shape.rows.front();
  rows.size /= operand.pieces->count;
  e.loop(0, operand.pieces->count, 1, [&](Value piece) {
    e.wait(e.constant(1), operand.inFlags[0]);
    auto from = [&](BufferRef ref, int64_t pitch) {
      Value row = e.mul(piece, rows.size * pitch);
      ref.base = ref.base ? e.add(ref.base, row) : row;
      return ref;
    };
    DotBuffers part{from(buffers.lhs, rows.lhs), buffers.rhs, from(buffers.out, rows.out), {}};
    if (buffers.rounded)
      part.rounded = from(*buffers.rounded, rows.out);
    lowerDot(shape, op.getPrecision(), op.getAccumulate(), op.getExchanged(), part,
             options.splitOnce, e, memory);
  });
}

// The flag counts how many more copies may be in flight.
LogicalResult KernelLowering::lowerOverlap(kernel::OverlapOp op) {
  Value most = e.constant(freeCopies);
  core::FlagAddOp::create(e.b, e.loc, most, e.constant(-1), uint32_t(kernel::kStageFlag));
  e.overlapsCopies = true;
  for (Operation &inner : op.getBody().front())
    if (failed(lowerOp(inner)))
      return failure();
  e.overlapsCopies = false;
  e.loc = op.getLoc();
  e.wait(most, kernel::kStageFlag);
  return success();
}

// Elements in SMEM are words, dense and row-major; a narrow element (of rank 0) is in the lowest
// bits of its word.
LogicalResult KernelLowering::lowerLoadScalar(kernel::LoadScalarOp op) {
  BufferRef source = buffer(op.getBuffer());
  Value word = core::SLoadOp::create(e.b, e.loc, e.b.getI32Type(),
                                     wordAddress(e, source, scalars(op.getIndices())),
                                     e.b.getI32IntegerAttr(source.region));
  setScalar(op.getResult(), narrow(e, word, source.type.getElementType()));
  return success();
}

Value codegen::narrow(Emitter &e, Value word, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits == 32)
    return word;
  Type i32 = e.b.getI32Type();
  if (element.isUnsignedInteger() || bits == 1)
    return core::SAndOp::create(e.b, e.loc, i32, word, e.constant((1 << bits) - 1));
  Value shift = e.constant(32 - bits);
  Value high = core::SShlOp::create(e.b, e.loc, i32, word, shift);
  return core::SSraOp::create(e.b, e.loc, i32, high, shift);
}
