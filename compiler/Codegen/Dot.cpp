// Lowers kernel.dot to steps of the systolic arrays.
//
// rhs is stationary: a step latches a block of 128 x 128 of it for each array
// and streams up to 16 groups of eight rows of lhs, as many as it takes cycles to
// latch the next blocks. One loop runs over all steps of a phase (all blocks of
// k, chunks of rows, blocks of columns, batches), so that it fills and drains
// the arrays once. lhs is never stationary, whatever the shape: the output would
// arrive transposed, and through the cross-lane unit at an eighth of the rate.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/DotStep.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

namespace {

class DotLowering {
public:
  DotLowering(Emitter &e, const DotShape &shape, const DotBuffers &buffers, const DotParts &parts,
              int mxus)
      : e(e), shape(shape), buffers(buffers), parts(parts), mxus(mxus) {}

  void emit(bool accumulate, ScratchAllocator &scratch);

private:
  SmallVector<DotPhase> phases() const;
  void addRowPhases(SmallVectorImpl<DotPhase> &phases, DotPhase phase) const;
  void emitPhase(const DotPhase &phase, DotPass pass, bool startsNew, const DotBuffers &buffers);
  void addInto(const BufferRef &out, const BufferRef &summand);
  void fillWithZeros(const BufferRef &out);
  int64_t outRows() const { return shape.batch * shape.m * shape.nBlocks(); }

  Emitter &e;
  const DotShape &shape;
  const DotBuffers &buffers;
  const DotParts &parts;
  int mxus;
};

} // namespace

// Row groups of an array in one step: their pushes take as long as the latches
// of a block, eight cycles each.
constexpr int64_t groupsPerStep = lanes / sublanes;

void DotLowering::addRowPhases(SmallVectorImpl<DotPhase> &phases, DotPhase phase) const {
  int64_t users = phase.split == DotSplit::rows ? phase.arrays : 1;
  phase.groups = groupsPerStep;
  phase.rows = groupsPerStep * sublanes * users;
  phase.mFirst = 0;
  phase.mCount = shape.m / phase.rows;
  if (phase.mCount > 0)
    phases.push_back(phase);
  phase.mFirst = phase.mCount * phase.rows;
  if (int64_t rest = shape.m - phase.mFirst; rest > 0) {
    phase.mCount = 1;
    phase.rows = rest;
    phase.groups = ceilDiv(ceilDiv(rest, sublanes), users);
    phases.push_back(phase);
  }
}

SmallVector<DotPhase> DotLowering::phases() const {
  SmallVector<DotPhase> result;
  int64_t together = shape.nBlocks() / mxus, done = together * mxus;
  int64_t single = shape.nBlocks() - done;
  if (together > 0)
    addRowPhases(result, {DotSplit::columns, mxus, 0, together, 0, 0, 0, 0});
  if (single > 0) {
    // Columns for one array at a time: the others take blocks of k or rows.
    DotPhase phase{DotSplit::columns, 1, done, single, 0, 0, 0, 0};
    if (shape.kBlocks() > 1)
      phase.split = DotSplit::depth;
    else if (shape.m > sublanes)
      phase.split = DotSplit::rows;
    if (phase.split != DotSplit::columns)
      phase.arrays = mxus;
    addRowPhases(result, phase);
  }
  return result;
}

/// Runs `body` at every position of `sizes`, the last fastest: unrolled if
/// `unroll`, otherwise as one loop.
static void forEachPosition(Emitter &e, ArrayRef<int64_t> sizes, bool unroll, bool independent,
                            llvm::function_ref<void(ArrayRef<Sum>)> body) {
  int64_t total = 1;
  SmallVector<unsigned> counters; // those that change
  for (auto [number, size] : llvm::enumerate(sizes)) {
    total *= size;
    if (size > 1)
      counters.push_back(number);
  }
  SmallVector<Sum> position(sizes.size());
  if (unroll) {
    for (int64_t i = 0; i < total; ++i) {
      int64_t rest = i;
      for (int64_t d = sizes.size() - 1; d >= 0; --d) {
        position[d] = {Value(), rest % sizes[d]};
        rest /= sizes[d];
      }
      body(position);
    }
    return;
  }
  SmallVector<Value> zeros(counters.size(), e.constant(0));
  e.loop(
      0, total, 1, zeros,
      [&](Value, ValueRange carried) {
        for (auto [value, number] : llvm::zip_equal(carried, counters))
          position[number] = {value, 0};
        body(position);
        SmallVector<Value> next(carried);
        Value carry = e.constant(1);
        for (int64_t c = counters.size() - 1; c >= 0; --c) {
          Value sum = e.add(carried[c], carry);
          if (c == 0) {
            next[c] = sum; // the loop ends before it overflows
            break;
          }
          carry = e.sub(e.constant(1), e.less(sum, e.constant(sizes[counters[c]])));
          next[c] = e.select(carry, e.constant(0), sum);
        }
        return next;
      },
      independent);
}

void DotLowering::emitPhase(const DotPhase &phase, DotPass pass, bool startsNew,
                            const DotBuffers &target) {
  // Straight-line code overlaps as well as a loop, but takes instruction memory.
  constexpr int64_t maxUnrolledSteps = 4;
  int64_t depth = ceilDiv(shape.kBlocks(), phase.blocksPerStep());
  int64_t sizes[] = {shape.batch, phase.nCount, phase.mCount, depth};
  int64_t total = shape.batch * phase.nCount * phase.mCount * depth;
  int64_t passes = parts.passes().size();
  DotStepEmitter step(e, shape, target, parts);
  forEachPosition(
      e, sizes, total * passes <= maxUnrolledSteps, /*independent=*/depth == 1,
      [&](ArrayRef<Sum> at) { step.emit(phase, pass, startsNew, {at[0], at[1], at[2], at[3]}); });
}

/// Runs `body` over rows of the output, eight at a time, and what is left.
static void forEachRowGroup(Emitter &e, int64_t rows,
                            llvm::function_ref<void(Value row, Value mask)> body) {
  int64_t whole = rows / sublanes * sublanes;
  e.loop(0, whole, sublanes, [&](Value row) { body(row, nullptr); }, /*independent=*/true);
  if (whole < rows)
    body(e.constant(whole), sublanesBetween(e, {}, {Value(), rows - whole}));
}

void DotLowering::addInto(const BufferRef &out, const BufferRef &summand) {
  Value one = e.constant(1);
  forEachRowGroup(e, outRows(), [&](Value row, Value mask) {
    Value sum =
        vectorOp<core::VFAddOp>(e, e.load(out, row, one, mask), e.load(summand, row, one, mask));
    e.store(sum, out, row, one, mask);
  });
}

void DotLowering::fillWithZeros(const BufferRef &out) {
  Value zero = e.splatBits(0);
  forEachRowGroup(e, outRows(),
                  [&](Value row, Value mask) { e.store(zero, out, row, e.constant(1), mask); });
}

void DotLowering::emit(bool accumulate, ScratchAllocator &scratch) {
  if (shape.batch * shape.m * shape.n == 0)
    return;
  if (shape.k == 0) {
    if (!accumulate)
      fillWithZeros(buffers.out);
    return;
  }
  // A pass of floats is summed over k by itself before it joins the others.
  bool apart = !parts.isInteger() && parts.passes().size() > 1 && shape.kBlocks() > 1;
  std::optional<BufferRef> own;
  for (auto [number, pass] : llvm::enumerate(parts.passes())) {
    DotBuffers target = buffers;
    bool alone = apart && number > 0;
    if (alone) {
      if (!own)
        own = scratch.allocate(buffers.out.type);
      target.out = *own;
    }
    bool startsNew = alone || (number == 0 && !accumulate);
    for (const DotPhase &phase : phases())
      emitPhase(phase, pass, startsNew, target);
    if (alone)
      addInto(buffers.out, *own);
  }
}

LogicalResult codegen::lowerDot(kernel::DotOp op, const BufferRef &lhs, const BufferRef &rhs,
                                const BufferRef &out, int mxus, Emitter &emitter,
                                ScratchAllocator &scratch) {
  ArrayRef<int64_t> left = lhs.type.getShape(), result = out.type.getShape();
  DotShape shape{1, 0, left.back(), result.back(), op.getRhsTransposed()};
  shape.m = left[left.size() - 2];
  for (int64_t size : left.drop_back(2))
    shape.batch *= size;
  DotBuffers buffers{lhs, rhs, out};
  DotParts parts(lhs.type.getElementType(), rhs.type.getElementType(), op.getPrecision());
  DotLowering(emitter, shape, buffers, parts, std::max(mxus, 1)).emit(op.getAccumulate(), scratch);
  return success();
}
