// Lowers kernel.dot and kernel.contract to steps of the MXUs.
//
// rhs is stationary: a step latches tiles of 128 x 128 of it for each MXU, as many as it holds, and
// streams groups of eight rows of lhs through them. One loop runs over all steps of a phase (all
// blocks of k, chunks of rows, blocks of columns, batches), so that it fills and drains the MXUs
// once. lhs is never stationary, whatever the shape: the output would be transposed, and pass
// through the cross-lane unit at an eighth of the rate.
// See docs/decisions/products.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/DotSplit.h"
#include "compiler/Codegen/DotStep.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

namespace {

class DotLowering {
public:
  DotLowering(Emitter &e, const DotShape &shape, const DotBuffers &buffers, const DotParts &parts)
      : e(e), shape(shape), buffers(buffers), parts(parts) {}

  void emit(bool accumulate, bool splitOnce, ScratchAllocator &scratch);

private:
  void emitPhase(const DotPhase &phase, DotPass pass, bool startsNew, const DotBuffers &buffers);
  void addInto(const BufferRef &out, const BufferRef &summand);
  void fillWithZeros(const BufferRef &out);
  void round();
  int64_t outRows() const { return buffers.out.type.getLogicalRows(); }

  Emitter &e;
  const DotShape &shape;
  const DotBuffers &buffers;
  const DotParts &parts;
  bool isSplit = false;
};

} // namespace

/// Increments the counters `now`; the last one is fastest and the first one only
/// grows.
static SmallVector<Value> advance(Emitter &e, ValueRange now, ArrayRef<int64_t> sizes) {
  SmallVector<Value> next(now);
  Value carry = e.constant(1);
  for (int64_t c = now.size() - 1; c > 0; --c) {
    Value sum = e.add(now[c], carry);
    Value stays = e.less(sum, e.constant(sizes[c]));
    next[c] = e.select(stays, sum, e.constant(0));
    carry = e.sub(e.constant(1), stays);
  }
  next[0] = e.add(now[0], carry);
  return next;
}

/// Runs `body` at every position of `sizes`, the last fastest: unrolled if `unroll`, otherwise as
/// one loop. It receives the position twice: results come so much later than pushes that no scalar
/// register can be live for both.
using PositionBody = llvm::function_ref<void(ArrayRef<Sum> inputs, ArrayRef<Sum> results)>;
static void forEachPosition(Emitter &e, ArrayRef<int64_t> sizes, bool unroll, bool independent,
                            PositionBody body) {
  int64_t total = 1;
  SmallVector<int64_t> counters, counts; // dimensions that change, and their sizes
  for (auto [number, size] : llvm::enumerate(sizes)) {
    total *= size;
    if (size > 1) {
      counters.push_back(number);
      counts.push_back(size);
    }
  }
  SmallVector<Sum> inputs(sizes.size()), results(sizes.size());
  if (unroll || total == 1) {
    for (int64_t i = 0; i < total; ++i) {
      int64_t rest = i;
      for (int64_t d = sizes.size() - 1; d >= 0; --d) {
        inputs[d] = {Value(), rest % sizes[d]};
        rest /= sizes[d];
      }
      body(inputs, inputs);
    }
    return;
  }
  SmallVector<Value> zeros(2 * counters.size(), e.constant(0));
  e.loop(
      0, total, 1, zeros,
      [&](Value, ValueRange carried) {
        // Steps of one tile of the output are consecutive; tiles are disjoint.
        e.b.getInsertionBlock()->getParentOp()->setAttr("core.equal_or_disjoint",
                                                        e.b.getUnitAttr());
        ValueRange first = carried.take_front(counters.size());
        ValueRange second = carried.drop_front(counters.size());
        for (auto [number, a, b] : llvm::zip_equal(counters, first, second)) {
          inputs[number] = {a, 0};
          results[number] = {b, 0};
        }
        body(inputs, results);
        SmallVector<Value> next = advance(e, first, counts);
        llvm::append_range(next, advance(e, second, counts));
        return next;
      },
      independent);
}

void DotLowering::emitPhase(const DotPhase &phase, DotPass pass, bool startsNew,
                            const DotBuffers &target) {
  // Straight-line code of a few tiles overlaps as well as a loop does, but takes instruction
  // memory.
  constexpr int64_t maxUnrolledTiles = 4;
  SmallVector<int64_t> sizes;
  auto append = [&](ArrayRef<DotDim> dims, ArrayRef<int64_t> steps) {
    for (auto [number, dim] : llvm::enumerate(dims))
      sizes.push_back(ceilDiv(dim.size, steps.empty() ? 1 : steps[number]));
  };
  for (const DotRange &range : phase.batch)
    sizes.push_back(range.count);
  sizes.push_back(phase.nCount);
  append(shape.rows, phase.box);
  append(shape.depth, {});
  sizes.push_back(phase.kCount);
  auto position = [&](ArrayRef<Sum> counters) {
    auto take = [&](size_t count) {
      ArrayRef<Sum> front = counters.take_front(count);
      counters = counters.drop_front(count);
      return front;
    };
    DotPosition at;
    at.batch = take(shape.batch.size());
    at.column = take(1).front();
    at.rows = take(shape.rows.size());
    at.depth = take(shape.depth.size());
    at.block = counters.front();
    return at;
  };
  int64_t total = 1, passes = parts.passes().size();
  for (int64_t size : sizes)
    total *= size;
  bool isSummed = phase.kCount > 1 || !shape.depth.empty();
  DotStepEmitter step(e, shape, target, parts, isSplit);
  forEachPosition(e, sizes, total * passes * phase.tiles.count() <= maxUnrolledTiles,
                  /*independent=*/!isSummed, [&](ArrayRef<Sum> at, ArrayRef<Sum> results) {
                    step.emit(phase, pass, startsNew, position(at), position(results));
                  });
}

void codegen::forEachRowGroup(Emitter &e, int64_t rows,
                              llvm::function_ref<void(Value row, Value mask)> body) {
  int64_t whole = rows / kSublanes * kSublanes;
  e.loop(0, whole, kSublanes, [&](Value row) { body(row, nullptr); }, /*independent=*/true);
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

void DotLowering::round() {
  Value one = e.constant(1);
  forEachRowGroup(e, outRows(), [&](Value row, Value mask) {
    e.store(e.load(buffers.out, row, one, mask), *buffers.rounded, row, one, mask);
  });
}

void DotLowering::emit(bool accumulate, bool splitOnce, ScratchAllocator &scratch) {
  if (shape.isEmpty())
    return;
  if (shape.hasNoDepth()) {
    if (!accumulate)
      fillWithZeros(buffers.out);
    if (buffers.rounded)
      round();
    return;
  }
  // A pass of floats is summed over k separately before it is added to the others.
  bool isSummed = shape.kBlocks() > 1 || !shape.depth.empty();
  bool apart = !parts.isInteger() && parts.passes().size() > 1 && isSummed;
  std::optional<BufferRef> own;
  auto emitPass = [&](DotPass pass, bool first, DotBuffers target) {
    bool alone = apart && !first;
    if (alone) {
      if (!own)
        own = scratch.allocate(buffers.out.type);
      target.out = *own;
      if (shape.resultRows() < outRows() || !shape.outLanes.isAll())
        fillWithZeros(*own);
    }
    for (const DotPhase &phase : phasesOf(shape, e.machine.mxu))
      emitPhase(phase, pass, alone || (first && !accumulate), target);
    if (alone)
      addInto(buffers.out, *own);
  };
  ArrayRef<DotPass> passes = parts.passes();
  bool isLoop = parts.areLoop(shape);
  isSplit = splitOnce && isLoop;
  if (!isSplit && !(isLoop && parts.isInteger())) {
    for (auto [number, pass] : llvm::enumerate(passes))
      emitPass(pass, number == 0, buffers);
    return;
  }
  // All passes but the first form one loop: they differ in the parts that they read. `of` returns
  // the part of pass `number`.
  auto choose = [&](Value number, auto of) {
    Value chosen = e.constant(of(passes.back()));
    for (int64_t i = passes.size() - 2; i > 0; --i)
      chosen = e.select(e.less(number, e.constant(i + 1)), e.constant(of(passes[i])), chosen);
    return chosen;
  };
  auto sumShift = [&](Value number) {
    return parts.isInteger()
               ? choose(number, [](DotPass pass) { return 8 * (pass.lhs + pass.rhs); })
               : Value();
  };
  if (!isSplit) {
    emitPass(passes[0], /*first=*/true, buffers);
    e.loop(1, passes.size(), 1, [&](Value number) {
      DotBytes bytes;
      bytes.lhsShift = choose(number, [](DotPass pass) { return 8 * pass.lhs; });
      bytes.rhsShift = choose(number, [](DotPass pass) { return 8 * pass.rhs; });
      bytes.lhsMask = choose(number, [&](DotPass pass) { return parts.lhsMask(pass); });
      bytes.rhsMask = choose(number, [&](DotPass pass) { return parts.rhsMask(pass); });
      emitPass({passes[1].lhs, passes[1].rhs, sumShift(number), &bytes}, /*first=*/false, buffers);
    });
    return;
  }
  SplitOperands split(e, buffers, parts, scratch);
  auto left = [&](DotPass pass) { return split.lhsBase(pass); };
  auto right = [&](DotPass pass) { return split.rhsBase(pass); };
  emitPass(passes[0], /*first=*/true,
           split.at(buffers, e.constant(left(passes[0])), e.constant(right(passes[0]))));
  e.loop(1, passes.size(), 1, [&](Value number) {
    emitPass({passes[1].lhs, passes[1].rhs, sumShift(number)}, /*first=*/false,
             split.at(buffers, choose(number, left), choose(number, right)));
  });
}

void codegen::lowerDot(const DotShape &shape, unsigned precision, bool accumulate, bool exchanged,
                       const DotBuffers &buffers, bool splitOnce, Emitter &emitter,
                       ScratchAllocator &scratch) {
  DotParts parts(buffers.lhs.type.getElementType(), buffers.rhs.type.getElementType(), precision,
                 exchanged);
  DotLowering(emitter, shape, buffers, parts).emit(accumulate, splitOnce, scratch);
}
