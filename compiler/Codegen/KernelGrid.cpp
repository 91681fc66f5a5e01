// Lowers one kernel to a routine: the steps of its grid, with the copies of
// blocks in and out overlapped with them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/KernelLowering.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

int64_t KernelLowering::halfRows(const BlockedOperand &operand) const {
  return operand.ref.type.getPhysicalRows();
}

void KernelLowering::start(const BlockedOperand &operand, BlockCopy::Direction direction,
                           const BlockIndex &block, Value half) {
  bool isIn = direction == BlockCopy::Direction::in;
  int flag = isIn ? operand.inFlag : operand.outFlag;
  int64_t window = std::max<int64_t>(operand.window, 1);
  Value row = half ? e.mul(half, halfRows(operand)) : e.constant(0);
  e.loc = kernel.getLoc();
  // Copies without a flag of their own share that of the streams.
  if (operand.window == 0)
    waitForStreams();
  operand.copy.start(e, direction, operand.hbmRegion, operand.ref.region, row, block, flag,
                     window);
  if (operand.window == 0)
    e.wait(e.constant(operand.copy.waitCount(window)), flag);
}

// Waits for a block's copy that has been started, if `condition` (null: always)
// is 1.
void KernelLowering::wait(const BlockedOperand &operand, BlockCopy::Direction direction,
                          Value condition) {
  if (operand.window == 0)
    return;
  int flag = direction == BlockCopy::Direction::in ? operand.inFlag : operand.outFlag;
  Value count = e.constant(operand.copy.waitCount(operand.window));
  e.loc = kernel.getLoc();
  e.wait(condition ? e.select(condition, count, e.constant(0)) : count, flag);
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

// Copies in start at once and are waited for where they are needed first; copies
// out start after the last use.
LogicalResult KernelLowering::lowerOnce() {
  mlir::Block &body = kernel.getBody().front();
  SmallVector<Value> grid(kernel.getGrid().size(), e.constant(0));
  for (auto [argument, index] : llvm::zip(body.getArguments(), grid))
    setScalar(argument, index);

  SmallVector<BlockedOperand *> pending;
  for (BlockedOperand &operand : operands)
    if (operand.reads())
      pending.push_back(&operand);
  llvm::sort(pending, [](BlockedOperand *a, BlockedOperand *b) {
    return std::pair(a->uses->first, a->buffer.getArgNumber()) <
           std::pair(b->uses->first, b->buffer.getArgNumber());
  });
  for (BlockedOperand *operand : pending)
    start(*operand, BlockCopy::Direction::in, blockOf(*operand, grid), nullptr);
  waitForStreams();
  auto waitUntil = [&](int64_t position) {
    llvm::erase_if(pending, [&](BlockedOperand *operand) {
      if (operand->uses->first > position)
        return false;
      wait(*operand, BlockCopy::Direction::in);
      return true;
    });
  };

  SmallVector<BlockedOperand *> unwritten;
  for (BlockedOperand &operand : operands)
    if (operand.writes())
      unwritten.push_back(&operand);
  int64_t end = liveness.end();
  for (Operation &op : body.without_terminator()) {
    Operation *next = op.getNextNode();
    waitUntil(liveness.position(next) - 1);
    if (failed(lowerOp(op)))
      return failure();
    for (BlockedOperand *operand : unwritten) {
      int64_t last = operand->uses->last;
      if (last < liveness.position(&op) || last >= liveness.position(next))
        continue;
      // What is written may be an operand that still comes in, by another name.
      waitUntil(end);
      start(*operand, BlockCopy::Direction::out, blockOf(*operand, grid), nullptr);
    }
  }
  waitUntil(end);
  for (BlockedOperand *operand : unwritten)
    wait(*operand, BlockCopy::Direction::out);
  return success();
}

//===----------------------------------------------------------------------===//
// Many steps
//===----------------------------------------------------------------------===//

// What operands carry from step to step, as scalars of 0 or 1 in a fixed order.
// For a block that changes in every step all of it follows from the step.
//   half     the half that holds the step's block
//   arriving the step's block has been started and not been waited for
//   leaving  the other half's block has been started out and not been waited for
namespace {
enum Carried { half, arriving, leaving, carriedCount };
} // namespace

SmallVector<Value> KernelLowering::gridIndices(Value step) {
  SmallVector<Value> indices(kernel.getGrid().size(), e.constant(0));
  int64_t outer = 0;
  for (auto [dim, extent] : llvm::enumerate(kernel.getGrid()))
    if (extent > 1) {
      outer = dim;
      break;
    }
  // Of the outermost index the quotient is all that is left.
  for (int64_t dim = indices.size() - 1; dim >= outer; --dim) {
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
  // The verifier has seen that the other side is a constant.
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

KernelLowering::BlockIndex KernelLowering::blockOf(const BlockedOperand &operand,
                                              ArrayRef<Value> grid) {
  BlockIndex block;
  for (AffineExpr result : operand.attr.getMap().getResults())
    block.push_back(evaluate(e, result, grid));
  return block;
}

Value KernelLowering::differs(const BlockIndex &a, const BlockIndex &b) {
  Value result = e.constant(0);
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    if (x == y)
      continue;
    Value different = core::SNeOp::create(e.b, e.loc, e.b.getI32Type(), x, y);
    result = e.constantValue(result) == 0
                 ? different
                 : core::SOrOp::create(e.b, e.loc, e.b.getI32Type(), result, different);
  }
  return result;
}

LogicalResult KernelLowering::lowerStep(Value step, ValueRange carried,
                                        SmallVectorImpl<Value> &next) {
  Type i32 = e.b.getI32Type();
  Value one = e.constant(1), zero = e.constant(0);
  SmallVector<Value> grid = gridIndices(step);
  Value nextStep = e.add(step, 1);
  SmallVector<Value> nextGrid = gridIndices(nextStep);
  Value hasNext = e.less(nextStep, e.constant(steps));

  struct State {
    BlockedOperand *operand;
    Value half, arriving, leaving, nextChanges;
    BlockIndex block, nextBlock;
  };
  SmallVector<State> states;
  for (BlockedOperand &operand : operands) {
    if (!operand.changes)
      continue;
    e.loc = kernel.getLoc();
    State state{&operand, {}, {}, {}, {}, blockOf(operand, grid), blockOf(operand, nextGrid)};
    if (operand.changesAlways) {
      state.half = core::SAndOp::create(e.b, e.loc, i32, step, one);
      state.arriving = one;
      state.leaving = e.less(zero, step);
      state.nextChanges = hasNext;
    } else {
      state.half = carried[half];
      state.arriving = carried[arriving];
      state.leaving = carried[leaving];
      carried = carried.drop_front(carriedCount);
      Value changes = differs(state.block, state.nextBlock);
      state.nextChanges = core::SAndOp::create(e.b, e.loc, i32, hasNext, changes);
    }
    if (!options.doubleBuffer)
      state.half = state.leaving = zero;
    states.push_back(std::move(state));
  }

  // First the copies of this step's blocks arrive, then the next ones start: a
  // flag counts the copies of one block at a time.
  for (State &state : states) {
    BlockedOperand &operand = *state.operand;
    if (!operand.reads())
      continue;
    if (operand.writes())
      wait(operand, BlockCopy::Direction::out, state.leaving);
    if (options.doubleBuffer)
      wait(operand, BlockCopy::Direction::in, state.arriving);
    else
      e.ifNonZero(state.arriving, [&] {
        start(operand, BlockCopy::Direction::in, state.block, nullptr);
        wait(operand, BlockCopy::Direction::in);
      });
  }
  if (options.doubleBuffer)
    for (State &state : states)
      if (state.operand->reads())
        e.ifNonZero(state.nextChanges, [&] {
          Value other = core::SXorOp::create(e.b, e.loc, i32, state.half, one);
          start(*state.operand, BlockCopy::Direction::in, state.nextBlock, other);
        });

  mlir::Block &body = kernel.getBody().front();
  for (auto [argument, index] : llvm::zip(body.getArguments(), grid))
    setScalar(argument, index);
  for (State &state : states) {
    BufferRef ref = state.operand->ref;
    int64_t packing = 32 / ref.type.getStorageBits();
    ref.base = e.mul(state.half, halfRows(*state.operand) * packing);
    buffers[state.operand->buffer] = ref;
  }
  if (failed(lowerBlock(body)))
    return failure();

  for (State &state : states) {
    BlockedOperand &operand = *state.operand;
    e.loc = kernel.getLoc();
    Value isLast = core::SXorOp::create(e.b, e.loc, i32, hasNext, one);
    Value done = operand.changesAlways
                     ? one
                     : core::SOrOp::create(e.b, e.loc, i32, isLast, state.nextChanges);
    if (operand.writes())
      e.ifNonZero(done, [&] {
        // The other half's block has left before its half is written again.
        if (!operand.reads() && options.doubleBuffer)
          wait(operand, BlockCopy::Direction::out, state.leaving);
        start(operand, BlockCopy::Direction::out, state.block, state.half);
        if (!options.doubleBuffer)
          wait(operand, BlockCopy::Direction::out);
      });
    if (operand.changesAlways)
      continue;
    next.push_back(core::SXorOp::create(e.b, e.loc, i32, state.half, state.nextChanges));
    next.push_back(state.nextChanges);
    // A block that is read too has left before its step: only this one is leaving.
    Value stays = operand.reads() ? zero : state.leaving;
    next.push_back(options.doubleBuffer ? e.select(done, one, stays) : zero);
  }
  return success();
}

LogicalResult KernelLowering::lowerSteps() {
  SmallVector<Value> first(kernel.getGrid().size(), e.constant(0)), inits;
  for (BlockedOperand &operand : operands) {
    if (operand.reads() && (options.doubleBuffer || !operand.changes))
      start(operand, BlockCopy::Direction::in, blockOf(operand, first), nullptr);
    if (operand.changes && !operand.changesAlways)
      inits.append({e.constant(0), e.constant(1), e.constant(0)});
  }
  waitForStreams();
  for (BlockedOperand &operand : operands)
    if (operand.reads() && !operand.changes)
      wait(operand, BlockCopy::Direction::in);

  bool hasFailed = false;
  e.loc = kernel.getLoc();
  e.loop(0, steps, 1, inits, [&](Value step, ValueRange carried) {
    SmallVector<Value> next;
    hasFailed = failed(lowerStep(step, carried, next));
    e.loc = kernel.getLoc();
    return hasFailed ? SmallVector<Value>(carried) : next;
  });
  if (hasFailed)
    return failure();

  for (BlockedOperand &operand : operands)
    if (operand.writes() && !operand.changes)
      start(operand, BlockCopy::Direction::out, blockOf(operand, first), nullptr);
  for (BlockedOperand &operand : operands)
    if (operand.writes() && (options.doubleBuffer || !operand.changes))
      wait(operand, BlockCopy::Direction::out);
  return success();
}
