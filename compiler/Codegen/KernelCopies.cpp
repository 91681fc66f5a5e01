// Emits the copies of a kernel's operand blocks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/KernelLowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

void KernelLowering::start(const BlockedOperand &operand, BlockCopy::Direction direction,
                           const BlockIndex &block, Value half, Value condition) {
  e.loc = kernel.getLoc();
  const auto &flags = direction == BlockCopy::Direction::in ? operand.inFlags : operand.outFlags;
  int64_t halfRows = operand.ref.type.getPhysicalRows();
  const BlockCopy &copy = operand.pieces ? operand.pieces->copy : operand.copy;
  Value hbmRow = copy.hbmRow(e, block);
  if (operand.firstRow)
    hbmRow = e.add(operand.firstRow, hbmRow);
  auto emit = [&](int which, Value row) {
    int flag = flags[which];
    // Copies without a flag of their own share the streams' flag.
    if (operand.maxInFlight == 0)
      waitForStreams();
    copy.start(e, direction, operand.hbmRegion, hbmRow, operand.ref.region, row, block, flag,
               std::max<int64_t>(operand.maxInFlight, 1), condition);
    if (operand.maxInFlight == 0)
      e.wait(e.constant(1), flag);
  };
  if (operand.attr.getRole() == kernel::Role::prefetch)
    return emit(0, e.constant(0));
  if (operand.attr.isResident())
    return emit(0, residentRow(operand.attr, operand.shape, operand.ref.type, block));
  if (operand.pieces)
    return emit(0, e.mul(block.front(), operand.pieces->rows));
  if (!half)
    return emit(0, e.constant(0));
  if (flags[0] == flags[1])
    return emit(0, e.mul(half, halfRows));
  // Flags are immediates of instructions, so each half has its own code.
  e.ifElse(half, [&] { emit(1, e.constant(halfRows)); }, [&] { emit(0, e.constant(0)); });
}

void KernelLowering::startIn(const BlockedOperand &operand, const BlockIndex &block, Value half,
                             Value condition) {
  start(operand, BlockCopy::Direction::in, block, half, condition);
}

void KernelLowering::startOut(const BlockedOperand &operand, const BlockIndex &block, Value half) {
  start(operand, BlockCopy::Direction::out, block, half, nullptr);
}

void KernelLowering::startFirst(const BlockedOperand &operand, const BlockIndex &block,
                                Value half) {
  if (operand.pieces) {
    BlockIndex piece(block);
    for (int64_t number = 0; number < operand.pieces->count; ++number) {
      piece.front() = e.constant(number);
      startIn(operand, piece, nullptr);
    }
    return;
  }
  if (!operand.isLoaded())
    return startIn(operand, block, half);
  // Copies that share the stages' flag are waited for where they start.
  if (operand.maxInFlight == 0)
    return;
  Value copies = e.constant(operand.copy.waitCount(operand.maxInFlight));
  core::FlagAddOp::create(e.b, e.loc, copies, e.constant(-1), uint32_t(operand.inFlags[0]));
}

void KernelLowering::startLoads() {
  for (BlockedOperand &load : loads) {
    BlockIndex first(load.shape.size(), e.constant(0));
    startIn(load, first, nullptr);
    if (!loadsMeanwhile)
      wait(load, kernel::kNextBlocksFlag);
  }
}

// Behind the last of the kernel's own copies in. Operands with one buffer have theirs in each step.
void KernelLowering::startLoadsAt(Value step) {
  if (loads.empty() || !loadsMeanwhile || !step)
    return;
  bool hasLate = llvm::any_of(operands, [](const BlockedOperand &operand) {
    return operand.reads() && operand.changes && !operand.hasHalves;
  });
  Value start = e.constant(hasLate ? steps - 1 : std::max<int64_t>(steps - 2, 0));
  auto known = e.constantValue(step);
  if (known)
    return *known == e.constantValue(start) ? startLoads() : void();
  Value isNow = core::SEqOp::create(e.b, e.loc, e.b.getI32Type(), step, start);
  e.ifNonZero(isNow, [&] { startLoads(); });
}

void KernelLowering::finishLoads() {
  if (!loadsMeanwhile)
    return startLoads();
  for (BlockedOperand &load : loads)
    wait(load, kernel::kNextBlocksFlag);
}

// Waits for the copy of a block, if `condition` (null: always) is 1.
void KernelLowering::wait(const BlockedOperand &operand, int flag, Value condition) {
  if (operand.maxInFlight == 0 || (condition && e.constantValue(condition) == 0))
    return;
  int64_t count = operand.copy.waitCount(operand.maxInFlight);
  e.loc = kernel.getLoc();
  if (!condition)
    return e.wait(e.constant(count), flag);
  // A condition is 0 or 1, so it is the count for a single copy.
  e.wait(count == 1 ? condition : e.select(condition, e.constant(count), e.constant(0)), flag);
}

// The conjunction of two scalars that are 0 or 1.
static Value both(Emitter &e, Value a, Value b) {
  return e.constantValue(a) == 1 ? b : e.constantValue(b) == 1 ? a : e.bitAnd(a, b);
}

// A wait with count 0 takes no time, so both halves' flags are waited for, one of them with count
// 0.
void KernelLowering::waitIn(const StepState &state) {
  const BlockedOperand &operand = *state.operand;
  if (operand.isPrefetched) {
    // Copies of the next block that copy nothing are done at once, those of this one not yet.
    Value blocks = e.add(state.arriving, e.sub(e.constant(1), state.nextChanges));
    e.loc = kernel.getLoc();
    return e.wait(e.mul(blocks, operand.copy.dmaCount()), operand.inFlags[0]);
  }
  wait(operand, operand.inFlags[0], both(e, state.arriving, state.notHalf));
  wait(operand, operand.inFlags[1], both(e, state.arriving, state.half));
}

// Waits until the previous contents of the step's half have been copied out.
void KernelLowering::waitOut(StepState &state) {
  const BlockedOperand &operand = *state.operand;
  if (operand.leavesInOrder())
    return wait(operand, operand.outFlags[0], state.leaving[0]);
  wait(operand, operand.outFlags[0], both(e, state.leaving[0], state.notHalf));
  wait(operand, operand.outFlags[1], both(e, state.leaving[1], state.half));
  state.leaving[0] = both(e, state.leaving[0], state.half);
  state.leaving[1] = both(e, state.leaving[1], state.notHalf);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelLowering::gridIndices(Value step) {
  SmallVector<Value> indices(kernel.getGrid().size(), e.constant(0));
  int64_t outer = 0;
  for (auto [dim, extent] : llvm::enumerate(kernel.getGrid()))
    if (extent > 1) {
      outer = dim;
      break;
    }
  // The outermost index is the remaining quotient.
  for (int64_t dim = static_cast<int64_t>(indices.size()) - 1; dim >= outer; --dim) {
    int64_t extent = kernel.getGrid()[dim];
    indices[dim] = dim == outer ? step : e.remainder(step, extent);
    if (dim != outer)
      step = e.divide(step, extent);
  }
  return indices;
}

static Value evaluate(Emitter &e, AffineExpr expr, ArrayRef<Value> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return e.constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = evaluate(e, binary.getLHS(), dims);
  if (expr.getKind() == AffineExprKind::Add)
    return e.add(lhs, evaluate(e, binary.getRHS(), dims));
  // The verifier has checked that the other side is a constant.
  int64_t factor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    return e.mul(lhs, factor);
  case AffineExprKind::FloorDiv:
    return e.divide(lhs, factor);
  case AffineExprKind::CeilDiv:
    return e.divide(e.add(lhs, factor - 1), factor);
  default:
    return e.remainder(lhs, factor);
  }
}

KernelLowering::BlockIndex KernelLowering::blockOf(kernel::OperandAttr attr, ArrayRef<Value> grid) {
  BlockIndex block;
  for (AffineExpr result : attr.getMap().getResults())
    block.push_back(evaluate(e, result, grid));
  return block;
}

Value KernelLowering::residentRow(kernel::OperandAttr attr, ArrayRef<int64_t> shape,
                                  kernel::BufferType blockType, const BlockIndex &block) {
  Value number = e.constant(0);
  for (auto [index, whole, part] : llvm::zip_equal(block, shape, attr.getBlock()))
    number = e.add(e.mul(number, llvm::divideCeil(whole, part)), index);
  return e.mul(number, blockType.getPhysicalRows());
}

/// Binds the body's arguments to the blocks of kept arrays of a step.
void KernelLowering::bindResident(ArrayRef<Value> grid) {
  for (const ResidentOperand &operand : residents) {
    BufferRef ref = operand.ref;
    int64_t packing = 32 / ref.type.getStorageBits();
    ref.base = e.mul(
        residentRow(operand.attr, operand.shape, ref.type, blockOf(operand.attr, grid)), packing);
    buffers[operand.buffer] = ref;
  }
}

/// Starts the copies of the block of a step, if that is not the block `before` it.
void KernelLowering::prefetch(const BlockedOperand &operand, Value step, const BlockIndex &before,
                              Value half) {
  BlockIndex block = blockOf(operand, gridIndices(step));
  Value isNew = e.less(step, e.constant(steps));
  if (!operand.changesAlways)
    isNew = both(e, isNew, differs(before, block));
  startIn(operand, block, half, isNew);
}

Value KernelLowering::differs(const BlockIndex &a, const BlockIndex &b) {
  Value result = e.constant(0);
  for (auto [x, y] : llvm::zip_equal(a, b))
    if (x != y)
      result = e.bitOr(result, core::SNeOp::create(e.b, e.loc, e.b.getI32Type(), x, y));
  return result;
}
