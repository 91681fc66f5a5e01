// Emits the steps of products.
//
// A step is straight-line code: all of its latches, the swap, its pushes, then
// its pops. That is the order in which one array needs them; overlapping the
// latches of a step with the pushes of the one before is the scheduler's work,
// which the separate latch allows as soon as the swap is done.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/DotStep.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

/// min(max(a, 0), 128) of what is left after `done` of `total`.
static Sum extentOf(Emitter &e, int64_t total, const Sum &done) {
  Sum left = plus(e, {Value(), total}, times(e, done, -1));
  if (left.isStatic())
    return {Value(), std::clamp<int64_t>(left.constant, 0, lanes)};
  Value count = e.min(toValue(e, left), e.constant(lanes));
  return toSum(e, e.max(count, e.constant(0)));
}

static Sum atMost(Emitter &e, const Sum &a, int64_t limit) {
  if (a.isStatic())
    return {Value(), std::min(a.constant, limit)};
  return toSum(e, e.min(toValue(e, a), e.constant(limit)));
}

DotStepEmitter::Array DotStepEmitter::place(const DotPhase &phase, int number,
                                            const DotPosition &at) {
  Array array;
  bool columns = phase.split == DotSplit::columns, depth = phase.split == DotSplit::depth;
  auto block = [&](const Sum &index, int64_t first, bool divided) {
    Sum scaled = times(e, index, divided ? phase.arrays : 1);
    return plus(e, scaled, {Value(), first + (divided ? number : 0)});
  };
  Sum kBlock = block(at.depth, 0, depth), nBlock = block(at.column, phase.nFirst, columns);
  bool mayBeNone = depth && shape.kBlocks() % phase.arrays != 0;
  array.kCount = shape.k % lanes == 0 && !mayBeNone ? Sum{Value(), lanes}
                                                    : extentOf(e, shape.k, times(e, kBlock, lanes));
  array.nCount =
      shape.n % lanes == 0 ? Sum{Value(), lanes} : extentOf(e, shape.n, times(e, nBlock, lanes));
  array.kBlock = mayBeNone ? atMost(e, kBlock, shape.kBlocks() - 1) : kBlock;
  array.nBlock = nBlock;

  int64_t rowsPerArray = sublanes * phase.groups;
  int64_t first = phase.split == DotSplit::rows ? number * rowsPerArray : 0;
  int64_t rows = phase.split == DotSplit::rows ? phase.rows - first : phase.rows;
  for (int64_t group = 0; group < phase.groups; ++group)
    if (int64_t left = rows - group * sublanes; left > 0)
      array.rows.push_back(std::min(left, sublanes));
  Sum row = plus(e, times(e, at.batch, shape.m),
                 plus(e, times(e, at.chunk, phase.rows), {Value(), phase.mFirst + first}));
  array.lhsRow = plus(e, times(e, row, shape.kBlocks()), array.kBlock);
  array.outRow = plus(e, times(e, row, shape.nBlocks()), array.nBlock);
  return array;
}

/// Eight rows of weights (of columns, when transposed): zeros beyond the matrix.
Value DotStepEmitter::weights(const Array &array, int64_t group, DotPass pass, const Sum &batch) {
  bool transposed = shape.rhsTransposed;
  int64_t total = transposed ? shape.n : shape.k;
  const Sum &block = transposed ? array.nBlock : array.kBlock;
  const Sum &tile = transposed ? array.kBlock : array.nBlock;
  int64_t tiles = transposed ? shape.kBlocks() : shape.nBlocks();
  Sum first = plus(e, times(e, block, lanes), {Value(), sublanes * group});
  Value mask;
  if (total % lanes != 0)
    mask = sublanesBetween(e, {}, plus(e, {Value(), total}, times(e, first, -1)));
  Sum row = plus(e, times(e, plus(e, times(e, batch, total), first), tiles), tile);
  Value elements = e.load(buffers.rhs, toValue(e, row), e.constant(tiles), mask);
  return parts.rhsPart(e, elements, pass);
}

void DotStepEmitter::latch(const DotPhase &phase, ArrayRef<Array> arrays, DotPass pass,
                           const Sum &batch) {
  int64_t total = shape.rhsTransposed ? shape.n : shape.k;
  int64_t groups = ceilDiv(std::min(total, lanes), sublanes);
  for (int64_t group = 0; group < groups; ++group) {
    Value shared;
    for (auto [number, array] : llvm::enumerate(arrays)) {
      Value value = shared ? shared : weights(array, group, pass, batch);
      if (phase.split == DotSplit::rows)
        shared = value;
      if (shape.rhsTransposed)
        core::MxuLatchTOp::create(e.b, e.loc, value, e.constant(group), uint32_t(number));
      else
        core::MxuLatchOp::create(e.b, e.loc, value, e.constant(group), uint32_t(number));
    }
  }
  for (auto [number, array] : llvm::enumerate(arrays))
    core::MxuSwapOp::create(e.b, e.loc, toValue(e, array.kCount), toValue(e, array.nCount),
                            uint32_t(number));
}

/// The mask of a row group with `rows` rows; null if that is all eight.
static Value rowMask(Emitter &e, int64_t rows) { return sublanesBetween(e, {}, {Value(), rows}); }

void DotStepEmitter::push(ArrayRef<Array> arrays, DotPass pass, size_t group) {
  llvm::SmallVector<std::pair<Sum, Value>, 2> loaded; // arrays may share rows
  for (auto [number, array] : llvm::enumerate(arrays)) {
    if (group >= array.rows.size())
      continue;
    int64_t stride = shape.kBlocks(), rows = array.rows[group];
    Sum row = plus(e, array.lhsRow, {Value(), int64_t(group) * sublanes * stride});
    auto *known = llvm::find_if(loaded, [&](const auto &entry) {
      return entry.first.value == row.value && entry.first.constant == row.constant;
    });
    Value value;
    if (known != loaded.end()) {
      value = known->second;
    } else {
      Value elements = e.load(buffers.lhs, toValue(e, row), e.constant(stride), rowMask(e, rows));
      value = parts.lhsPart(e, elements, pass);
      loaded.push_back({row, value});
    }
    core::MxuPushOp::create(e.b, e.loc, value, e.constant(rows), uint32_t(number));
  }
}

Value DotStepEmitter::plusSummand(Value sum, Value summand) {
  if (!sum)
    return summand;
  return parts.isInteger() ? vectorOp<core::VAddOp>(e, sum, summand)
                           : vectorOp<core::VFAddOp>(e, sum, summand);
}

void DotStepEmitter::pop(const DotPhase &phase, ArrayRef<Array> arrays, DotPass pass, DotSums sums,
                         Value isFirst, size_t group) {
  int64_t stride = shape.nBlocks();
  Value total; // of arrays that share the output
  for (auto [number, array] : llvm::enumerate(arrays)) {
    if (group >= array.rows.size())
      continue;
    bool joins = phase.split == DotSplit::depth;
    Sum row = plus(e, array.outRow, {Value(), int64_t(group) * sublanes * stride});
    Value mask = rowMask(e, array.rows[group]);
    Value before = joins ? total : Value();
    if (!before && sums != DotSums::replace)
      before = e.load(buffers.out, toValue(e, row), e.constant(stride), mask);
    Value popped = vectorOp<core::MxuPopOp>(e, uint32_t(number));
    Value summand = parts.summand(e, popped, pass);
    Value sum = plusSummand(before, summand);
    if (isFirst && !(joins && total))
      sum = vectorOp<core::VSelectOp>(e, isFirst, summand, sum);
    total = sum;
    if (!joins || number + 1 == arrays.size())
      e.store(sum, buffers.out, toValue(e, row), e.constant(stride), mask);
  }
}

void DotStepEmitter::emit(const DotPhase &phase, DotPass pass, bool startsNew,
                          const DotPosition &at) {
  DotSums sums = DotSums::add;
  Value isFirst; // where only the program knows whether a step is the first
  if (startsNew && at.depth.isStatic() && at.depth.constant == 0)
    sums = DotSums::replace;
  else if (startsNew && !at.depth.isStatic())
    isFirst = maskOp<core::VEqOp>(e, at.depth.value, e.constant(-at.depth.constant));
  SmallVector<Array, 4> arrays;
  for (int number = 0; number < phase.arrays; ++number)
    arrays.push_back(place(phase, number, at));
  latch(phase, arrays, pass, at.batch);
  for (int64_t group = 0; group < phase.groups; ++group)
    push(arrays, pass, group);
  for (int64_t group = 0; group < phase.groups; ++group)
    pop(phase, arrays, pass, sums, isFirst, group);
}
