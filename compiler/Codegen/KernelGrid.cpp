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
    startFirst(*operand, blockOf(*operand, grid), nullptr);
  if (loadsMeanwhile)
    startLoads();
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
  finishLoads();
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

SmallVector<StepState> KernelLowering::stepStates(const Steps &at, ValueRange carried) {
  Value one = e.constant(1), zero = e.constant(0);
  struct Side {
    Value hasNext, parity, notParity;
    SmallVector<Value> grid, nextGrid;
  };
  std::array<Side, 2> sides;
  for (bool isAhead : {false, true}) {
    Value step = at.of(isAhead);
    if (!step)
      continue;
    SmallVector<Value> grid = gridIndices(step);
    Value nextStep = e.add(step, 1), hasNext = e.less(nextStep, e.constant(steps));
    SmallVector<Value> nextGrid = gridIndices(nextStep);
    Value parity = e.bitAnd(step, one), notParity = e.bitXor(parity, one);
    sides[isAhead] = {hasNext, parity, notParity, grid, nextGrid};
  }
  SmallVector<StepState> states;
  for (BlockedOperand &operand : operands) {
    if (!operand.changes)
      continue;
    Value step = at.of(operand.isAhead);
    if (!step) {
      if (!operand.changesAlways)
        carried = carried.drop_front(carriedCount);
      continue;
    }
    const Side &side = sides[operand.isAhead];
    StepState state{&operand, step, blockOf(operand, side.grid), blockOf(operand, side.nextGrid)};
    if (operand.changesAlways) {
      state.half = side.parity;
      state.notHalf = side.notParity;
      state.arriving = one;
      state.nextChanges = side.hasNext;
      // The previous step started the copy out of the other half, and the step before that one of
      // this half. If the next block is loaded into the other half, the copy out of this half has
      // been waited for; otherwise the other half is not used.
      if (operand.reads()) {
        Value other = e.less(zero, step);
        state.leaving[0] = e.select(side.parity, other, zero);
        state.leaving[1] = e.select(side.parity, zero, other);
      } else {
        state.leaving[0] = state.leaving[1] = e.less(one, step);
      }
    } else {
      state.half = carried[half];
      state.notHalf = e.bitXor(state.half, one);
      state.arriving = carried[arriving];
      state.leaving = {carried[leaving0], carried[leaving1]};
      carried = carried.drop_front(carriedCount);
      state.nextChanges = e.bitAnd(side.hasNext, differs(state.block, state.nextBlock));
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

void KernelLowering::startCopiesIn(MutableArrayRef<StepState> states, Value step) {
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
  startLoadsAt(step);
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
}

/// Lowers the stages of one side, at its step.
LogicalResult KernelLowering::lowerSide(StageStreams::Side which, Value step,
                                        MutableArrayRef<StepState> states) {
  side = which;
  mlir::Block &body = kernel.getBody().front();
  SmallVector<Value> grid = gridIndices(step);
  for (auto [argument, index] : llvm::zip(body.getArguments(), grid))
    setScalar(argument, index);
  auto bind = [&](Value buffer, BufferRef ref, Value half) {
    int64_t packing = 32 / ref.type.getStorageBits();
    ref.base = e.mul(half, ref.type.getPhysicalRows() * packing);
    buffers[buffer] = ref;
  };
  for (StepState &state : states) {
    if (state.operand->isAhead != (which == StageStreams::ahead))
      continue;
    bind(state.operand->buffer, state.operand->ref, state.half);
    // At this point it fits into a bundle with the waits.
    if (!state.nextHalf)
      state.nextHalf = e.bitXor(state.half, state.nextChanges);
  }
  // There are two of these, for even and odd steps.
  Value parity = e.bitAnd(step, e.constant(1));
  for (BlockedOperand &operand : operands)
    if (streams.isHandedOn(operand.buffer))
      bind(operand.buffer, operand.ref, parity);
  for (auto alloc : body.getOps<kernel::AllocOp>())
    if (streams.isHandedOn(alloc.getResult()))
      bind(alloc.getResult(), buffer(alloc.getResult()), parity);
  bindResident(grid);
  for (Operation &op : body.without_terminator())
    if (streams.isOn(&op, which) && failed(lowerOp(op)))
      return failure();
  return success();
}

LogicalResult KernelLowering::lowerStages(const Steps &at, MutableArrayRef<StepState> states) {
  auto lower = [&](StageStreams::Side which) { return lowerSide(which, at.of(which), states); };
  if (!at.ahead || !at.behind)
    return lower(at.ahead ? StageStreams::ahead : StageStreams::behind);
  // Values of a stream end with it.
  for (StepState &state : states)
    state.nextHalf = e.bitXor(state.half, state.nextChanges);
  auto both = core::InterleaveOp::create(e.b, kernel.getLoc());
  for (StageStreams::Side which : {StageStreams::ahead, StageStreams::behind}) {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.createBlock(&both->getRegion(which == StageStreams::ahead ? 0 : 1));
    e.beginStage(kernel.getLoc());
    if (failed(lower(which)))
      return failure();
  }
  return success();
}

void KernelLowering::finishStep(MutableArrayRef<StepState> states, ValueRange carried,
                                SmallVectorImpl<Value> &next) {
  Value one = e.constant(1), zero = e.constant(0);
  // This step is done with its half: the next step's block is on its way to the other one.
  for (StepState &state : states)
    if (state.operand->isPrefetched)
      prefetch(*state.operand, e.add(state.step, 2), state.nextBlock,
               state.operand->changesAlways ? state.half
                                            : e.bitXor(state.notHalf, state.nextChanges));
  for (BlockedOperand &operand : operands) {
    if (!operand.changes)
      continue;
    StepState *state =
        llvm::find_if(states, [&](StepState &state) { return state.operand == &operand; });
    if (state == states.end()) {
      // It has no step here.
      if (!operand.changesAlways)
        llvm::append_range(next, carried.take_front(carriedCount));
    } else {
      Value isLast = e.less(e.constant(steps - 2), state->step);
      Value done = operand.changesAlways ? one : e.bitOr(isLast, state->nextChanges);
      if (operand.writes())
        e.ifNonZero(done, [&] {
          startOut(operand, state->block, operand.hasHalves ? state->half : nullptr);
          if (!operand.hasHalves)
            wait(operand, operand.outFlags[0]);
        });
      if (!operand.changesAlways) {
        bool leaves = operand.writes() && operand.hasHalves;
        next.push_back(state->nextHalf);
        next.push_back(state->nextChanges);
        next.push_back(leaves ? e.bitOr(state->leaving[0], e.bitAnd(done, state->notHalf)) : zero);
        next.push_back(leaves ? e.bitOr(state->leaving[1], e.bitAnd(done, state->half)) : zero);
      }
    }
    if (!operand.changesAlways)
      carried = carried.drop_front(carriedCount);
  }
}

LogicalResult KernelLowering::lowerSteps(const Steps &at, ValueRange carried,
                                         SmallVectorImpl<Value> &next) {
  e.loc = kernel.getLoc();
  SmallVector<StepState> states = stepStates(at, carried);
  startCopiesIn(states, at.behind);
  if (failed(lowerStages(at, states)))
    return failure();
  e.loc = kernel.getLoc();
  finishStep(states, carried, next);
  return success();
}

LogicalResult KernelLowering::lowerSteps() {
  Value zero = e.constant(0), one = e.constant(1);
  SmallVector<Value> first(kernel.getGrid().size(), zero), inits;
  // Pieces come behind what is needed with the first one.
  for (bool inPieces : {false, true})
    for (BlockedOperand &operand : operands)
      if (operand.reads() && (operand.hasHalves || !operand.changes) &&
          operand.pieces.has_value() == inPieces)
        startFirst(operand, blockOf(operand, first), operand.hasHalves ? zero : nullptr);
  for (BlockedOperand &operand : operands)
    if (operand.changes && !operand.changesAlways)
      inits.append({zero, one, zero, zero});
  for (BlockedOperand &operand : operands)
    if (operand.isPrefetched)
      prefetch(operand, one, blockOf(operand, first), one);
  waitForStreams();
  for (BlockedOperand &operand : operands)
    if (operand.reads() && !operand.changes && !operand.pieces)
      wait(operand, operand.inFlags[0]);

  // Stages ahead begin with the first step alone, those behind end with the last one.
  SmallVector<Value> last = inits;
  auto lower = [&](const Steps &at, ValueRange carried) {
    SmallVector<Value> next;
    LogicalResult result = lowerSteps(at, carried, next);
    e.loc = kernel.getLoc();
    last = failed(result) ? SmallVector<Value>(carried) : next;
    return result;
  };
  bool inPieces = llvm::any_of(
      operands, [](const BlockedOperand &operand) { return operand.pieces.has_value(); });
  const bool isApart = !streams.isDivided() && inPieces;
  isFirstStep = true;
  if (streams.isDivided() && failed(lower({nullptr, zero}, last)))
    return failure();
  if (isApart && failed(lower({zero, nullptr}, last)))
    return failure();
  isFirstStep = false;
  bool hasFailed = false;
  SmallVector<Value> before = last;
  last = e.loop(isApart, streams.isDivided() ? steps - 1 : steps, 1, before,
                [&](Value step, ValueRange carried) {
                  Steps at{step, streams.isDivided() ? e.add(step, 1) : Value()};
                  hasFailed |= failed(lower(at, carried));
                  return last;
                });
  if (hasFailed || (streams.isDivided() && failed(lower({e.constant(steps - 1), nullptr}, last))))
    return failure();

  finishLoads();
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
