// Lowers the grid of a kernel: a loop over its steps, overlapped with the copies of blocks in and
// out.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/KernelLowering.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

// Copies in start at once, and the first user waits for them; copies out start after the last
// use.
LogicalResult KernelLowering::lowerOnce() {
  mlir::Block &body = kernel.getBody().front();
  SmallVector<Value> grid(kernel.getGrid().size(), e.constant(0));
  for (auto [argument, index] : llvm::zip(body.getArguments(), grid))
    setScalar(argument, index);

  SmallVector<BlockedOperand *> pending, written;
  for (BlockedOperand &operand : operands) {
    if (operand.reads())
      pending.push_back(&operand);
    if (operand.writes())
      written.push_back(&operand);
  }
  llvm::sort(pending, [](BlockedOperand *a, BlockedOperand *b) {
    return std::pair(a->uses->first, a->buffer.getArgNumber()) <
           std::pair(b->uses->first, b->buffer.getArgNumber());
  });
  for (BlockedOperand *operand : pending)
    startIn(*operand, blockOf(*operand, grid), nullptr);
  waitForStreams();
  auto waitUntil = [&](int64_t position) {
    llvm::erase_if(pending, [&](BlockedOperand *operand) {
      if (operand->uses->first > position)
        return false;
      wait(*operand, operand->inFlags[0]);
      return true;
    });
  };

  int64_t end = liveness.end();
  for (Operation &op : body.without_terminator()) {
    Operation *next = op.getNextNode();
    waitUntil(liveness.position(next) - 1);
    if (failed(lowerOp(op)))
      return failure();
    for (BlockedOperand *operand : written) {
      int64_t last = operand->uses->last;
      if (last < liveness.position(&op) || last >= liveness.position(next))
        continue;
      // An output may alias an operand that is still being copied in.
      waitUntil(end);
      startOut(*operand, blockOf(*operand, grid), nullptr);
    }
  }
  waitUntil(end);
  for (BlockedOperand *operand : written)
    wait(*operand, operand->outFlags[0]);
  return success();
}

//===----------------------------------------------------------------------===//
// Many steps
//===----------------------------------------------------------------------===//

// The loop-carried values of an operand whose block changes in some steps, in this order. If it
// changes in every step, they all follow from the step.
namespace {
enum Carried { half, arriving, leaving0, leaving1, carriedCount };
} // namespace

SmallVector<StepState> KernelLowering::stepStates(Value step, ArrayRef<Value> grid,
                                                  ValueRange carried) {
  Value one = e.constant(1), zero = e.constant(0);
  Value nextStep = e.add(step, 1), hasNext = e.less(nextStep, e.constant(steps));
  SmallVector<Value> nextGrid = gridIndices(nextStep);
  Value parity = e.bitAnd(step, one), notParity = e.bitXor(parity, one);
  SmallVector<StepState> states;
  for (BlockedOperand &operand : operands) {
    if (!operand.changes)
      continue;
    StepState state{&operand, blockOf(operand, grid), blockOf(operand, nextGrid)};
    if (operand.changesAlways) {
      state.half = parity;
      state.notHalf = notParity;
      state.arriving = one;
      state.nextChanges = hasNext;
      // The previous step started the copy out of the other half, and the step before that one of
      // this half. If the next block is loaded into the other half, the copy out of this half has
      // been waited for; otherwise the other half is not used.
      if (operand.reads()) {
        Value other = e.less(zero, step);
        state.leaving[0] = e.select(parity, other, zero);
        state.leaving[1] = e.select(parity, zero, other);
      } else {
        state.leaving[0] = state.leaving[1] = e.less(one, step);
      }
    } else {
      state.half = carried[half];
      state.notHalf = e.bitXor(state.half, one);
      state.arriving = carried[arriving];
      state.leaving = {carried[leaving0], carried[leaving1]};
      carried = carried.drop_front(carriedCount);
      state.nextChanges = e.bitAnd(hasNext, differs(state.block, state.nextBlock));
    }
    if (!operand.hasHalves) {
      state.half = zero;
      state.notHalf = one;
      state.leaving = {zero, zero};
    }
    states.push_back(std::move(state));
  }
  return states;
}

LogicalResult KernelLowering::lowerStep(Value step, ValueRange carried,
                                        SmallVectorImpl<Value> &next) {
  Value one = e.constant(1), zero = e.constant(0);
  e.loc = kernel.getLoc();
  SmallVector<Value> grid = gridIndices(step);
  SmallVector<StepState> states = stepStates(step, grid, carried);

  // The next blocks are prefetched before this step waits for its own, so that the memory is never
  // idle: two blocks of an operand are in flight at once.
  for (StepState &state : states) {
    BlockedOperand &operand = *state.operand;
    if (!operand.reads() || !operand.hasHalves || operand.isPrefetched)
      continue;
    if (operand.writes()) {
      // The next block is loaded into the half from which the last one is being copied out.
      std::swap(state.half, state.notHalf);
      waitOut(state);
      std::swap(state.half, state.notHalf);
    }
    e.ifNonZero(state.nextChanges, [&] { startIn(operand, state.nextBlock, state.notHalf); });
  }
  for (StepState &state : states) {
    BlockedOperand &operand = *state.operand;
    if (operand.reads() && operand.hasHalves)
      waitIn(state);
    else if (operand.reads())
      e.ifNonZero(state.arriving, [&] {
        startIn(operand, state.block, nullptr);
        wait(operand, operand.inFlags[0]);
      });
    if (operand.writes())
      waitOut(state);
  }

  mlir::Block &body = kernel.getBody().front();
  for (auto [argument, index] : llvm::zip(body.getArguments(), grid))
    setScalar(argument, index);
  for (StepState &state : states) {
    BufferRef ref = state.operand->ref;
    int64_t packing = 32 / ref.type.getStorageBits();
    ref.base = e.mul(state.half, ref.type.getPhysicalRows() * packing);
    buffers[state.operand->buffer] = ref;
    // At this point it fits into a bundle with the waits.
    state.nextHalf = e.bitXor(state.half, state.nextChanges);
  }
  bindKept(grid);
  if (failed(lowerBlock(body)))
    return failure();

  e.loc = kernel.getLoc();
  // This step is done with its half: the next step's block is on its way to the other one.
  for (StepState &state : states)
    if (state.operand->isPrefetched)
      prefetch(*state.operand, e.add(step, 2), state.nextBlock,
               state.operand->changesAlways ? state.half
                                            : e.bitXor(state.notHalf, state.nextChanges));
  Value isLast = e.less(e.constant(steps - 2), step);
  for (StepState &state : states) {
    BlockedOperand &operand = *state.operand;
    Value done = operand.changesAlways ? one : e.bitOr(isLast, state.nextChanges);
    if (operand.writes())
      e.ifNonZero(done, [&] {
        startOut(operand, state.block, operand.hasHalves ? state.half : nullptr);
        if (!operand.hasHalves)
          wait(operand, operand.outFlags[0]);
      });
    if (operand.changesAlways)
      continue;
    bool leaves = operand.writes() && operand.hasHalves;
    next.push_back(state.nextHalf);
    next.push_back(state.nextChanges);
    next.push_back(leaves ? e.bitOr(state.leaving[0], e.bitAnd(done, state.notHalf)) : zero);
    next.push_back(leaves ? e.bitOr(state.leaving[1], e.bitAnd(done, state.half)) : zero);
  }
  return success();
}

LogicalResult KernelLowering::lowerSteps() {
  Value zero = e.constant(0), one = e.constant(1);
  SmallVector<Value> first(kernel.getGrid().size(), zero), inits;
  for (BlockedOperand &operand : operands) {
    if (operand.reads() && (operand.hasHalves || !operand.changes))
      startIn(operand, blockOf(operand, first), operand.hasHalves ? zero : nullptr);
    if (operand.changes && !operand.changesAlways)
      inits.append({zero, one, zero, zero});
  }
  for (BlockedOperand &operand : operands)
    if (operand.isPrefetched)
      prefetch(operand, one, blockOf(operand, first), one);
  waitForStreams();
  for (BlockedOperand &operand : operands)
    if (operand.reads() && !operand.changes)
      wait(operand, operand.inFlags[0]);

  bool hasFailed = false;
  SmallVector<Value> last = e.loop(0, steps, 1, inits, [&](Value step, ValueRange carried) {
    SmallVector<Value> next;
    hasFailed = failed(lowerStep(step, carried, next));
    e.loc = kernel.getLoc();
    return hasFailed ? SmallVector<Value>(carried) : next;
  });
  if (hasFailed)
    return failure();

  ValueRange carried = last;
  for (BlockedOperand &operand : operands) {
    // The last step has started copies for a step that does not exist.
    if (operand.isPrefetched)
      wait(operand, operand.inFlags[0]);
    if (operand.writes() && !operand.changes) {
      startOut(operand, blockOf(operand, first), nullptr);
      wait(operand, operand.outFlags[0]);
    }
    if (operand.writes() && operand.changesAlways && operand.hasHalves) {
      // The copies out of the last step, and of the one before unless it was waited for.
      wait(operand, operand.outFlags[(steps - 1) % 2]);
      if (!operand.reads())
        wait(operand, operand.outFlags[steps % 2]);
    }
    if (operand.changes && !operand.changesAlways) {
      if (operand.writes() && operand.hasHalves) {
        wait(operand, operand.outFlags[0], carried[leaving0]);
        wait(operand, operand.outFlags[1], carried[leaving1]);
      }
      carried = carried.drop_front(carriedCount);
    }
  }
  return success();
}
