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

/// `a` between 0 and `limit`.
static Sum clamped(Emitter &e, const Sum &a, int64_t limit) {
  if (a.isStatic())
    return {Value(), std::clamp<int64_t>(a.constant, 0, limit)};
  return toSum(e, e.max(e.min(toValue(e, a), e.constant(limit)), e.constant(0)));
}

/// The rows of the row groups of chunk `chunk`; none for a group that is known to
/// be behind the last row.
SmallVector<Sum> DotStepEmitter::rowGroups(const DotPhase &phase, const Sum &chunk) {
  int64_t chunkRows = sublanes * phase.groups;
  int64_t chunks = phase.rowSteps(shape.m) * phase.perStep(DotSplit::rows);
  // Rows that every chunk has, and those of this one.
  int64_t always = shape.m - (chunks - 1) * chunkRows;
  Sum left = plus(e, {Value(), shape.m}, times(e, chunk, -chunkRows));
  SmallVector<Sum> groups;
  for (int64_t group = 0; group < phase.groups; ++group) {
    int64_t first = group * sublanes;
    Sum rows{Value(), sublanes};
    if (left.isStatic() || first + sublanes > always)
      rows = clamped(e, plus(e, left, {Value(), -first}), sublanes);
    if (rows.isStatic() && rows.constant == 0)
      break;
    groups.push_back(rows);
  }
  return groups;
}

/// All arrays of a step. What they do differs by constants, so that they share
/// the scalars of addresses.
SmallVector<DotStepEmitter::Array, 4> DotStepEmitter::place(const DotPhase &phase,
                                                            const DotPosition &at) {
  auto blockOf = [&](const Sum &index, DotSplit split, int64_t first) {
    return plus(e, times(e, index, phase.perStep(split)), {Value(), first});
  };
  Sum nBlock = blockOf(at.column, DotSplit::columns, phase.nFirst);
  Sum kBlock = blockOf(at.depth, DotSplit::depth, phase.kFirst);
  Sum chunk = blockOf(at.row, DotSplit::rows, 0);
  int64_t chunkRows = sublanes * phase.groups;
  bool transposed = shape.rhsTransposed;
  // The tile `last` of a row that each of two indices moves on. Latches wait for
  // this, so it takes no more instructions one after the other than it must.
  auto tileOf = [&](int64_t rows, const Sum &index, int64_t step, const Sum &last, int64_t tiles) {
    return plus(e, plus(e, times(e, index, step * tiles), last), times(e, at.batch, rows * tiles));
  };
  Sum lhsRow = tileOf(shape.m, chunk, chunkRows, kBlock, shape.kBlocks());
  Sum outRow = tileOf(shape.m, chunk, chunkRows, nBlock, shape.nBlocks());
  Sum rhsRow = tileOf(shape.rhsRows(), transposed ? nBlock : kBlock, lanes,
                      transposed ? kBlock : nBlock, shape.rhsTiles());
  // Rows of rhs from one block of its columns, or of k, to the next.
  int64_t alongRows = lanes * shape.rhsTiles();
  int64_t nStep = transposed ? alongRows : 1, kStep = transposed ? 1 : alongRows;

  // What is left of a dimension from a block on, if that block is known.
  auto extentOf = [&](int64_t total, const Sum &block) {
    return block.isStatic() ? std::min(total - block.constant * lanes, lanes) : lanes;
  };
  SmallVector<Array, 4> arrays;
  for (int64_t number = 0; number < phase.arrays; ++number) {
    auto own = [&](DotSplit split) { return phase.split == split ? number : 0; };
    int64_t n = own(DotSplit::columns), k = own(DotSplit::depth), m = own(DotSplit::rows);
    Sum columns = plus(e, nBlock, {Value(), n}), depth = plus(e, kBlock, {Value(), k});
    Array array;
    array.kCount = extentOf(shape.k, depth);
    array.nCount = Sum{Value(), extentOf(shape.n, columns)};
    array.rhsCount = transposed ? array.nCount.constant : array.kCount;
    if (!columns.isStatic() && !transposed && shape.n % lanes != 0)
      array.nCount = clamped(e, plus(e, {Value(), shape.n}, times(e, columns, -lanes)), lanes);
    array.lhsRow = plus(e, lhsRow, {Value(), m * chunkRows * shape.kBlocks() + k});
    array.outRow = plus(e, outRow, {Value(), m * chunkRows * shape.nBlocks() + n});
    array.rhsRow = plus(e, rhsRow, {Value(), n * nStep + k * kStep});
    array.groups = rowGroups(phase, plus(e, chunk, {Value(), m}));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

/// Eight rows of weights (of columns, when transposed): zeros beyond the matrix.
Value DotStepEmitter::weights(const Array &array, int64_t group, DotPass pass) {
  int64_t first = group * sublanes, tiles = shape.rhsTiles();
  Value mask = sublanesBetween(e, {}, {Value(), array.rhsCount - first});
  Sum row = plus(e, array.rhsRow, {Value(), first * tiles});
  Value elements = e.load(buffers.rhs, toValue(e, row), e.constant(tiles), mask);
  return isSplit ? elements : parts.rhsPart(e, elements, pass);
}

void DotStepEmitter::latch(const DotPhase &phase, ArrayRef<Array> arrays, DotPass pass) {
  for (int64_t group = 0; group < lanes / sublanes; ++group) {
    Value shared;
    for (auto [number, array] : llvm::enumerate(arrays)) {
      if (group * sublanes >= array.rhsCount)
        continue;
      Value value = shared ? shared : weights(array, group, pass);
      if (phase.split == DotSplit::rows)
        shared = value;
      if (shape.rhsTransposed)
        core::MxuLatchTOp::create(e.b, e.loc, value, e.constant(group), uint32_t(number));
      else
        core::MxuLatchOp::create(e.b, e.loc, value, e.constant(group), uint32_t(number));
    }
  }
  for (auto [number, array] : llvm::enumerate(arrays))
    core::MxuSwapOp::create(e.b, e.loc, e.constant(array.kCount), toValue(e, array.nCount),
                            uint32_t(number));
}

void DotStepEmitter::push(ArrayRef<Array> arrays, DotPass pass, size_t group) {
  SmallVector<std::pair<Sum, Value>, 4> loaded; // arrays may share rows
  int64_t stride = shape.kBlocks();
  for (auto [number, array] : llvm::enumerate(arrays)) {
    if (group >= array.groups.size())
      continue;
    const Sum &rows = array.groups[group];
    auto *known = llvm::find_if(loaded, [&](const auto &entry) {
      return entry.first.value == array.lhsRow.value &&
             entry.first.constant == array.lhsRow.constant;
    });
    if (known == loaded.end()) {
      Sum row = plus(e, array.lhsRow, {Value(), int64_t(group) * sublanes * stride});
      Value elements =
          e.load(buffers.lhs, toValue(e, row), e.constant(stride), sublanesBetween(e, {}, rows));
      loaded.push_back({array.lhsRow, isSplit ? elements : parts.lhsPart(e, elements, pass)});
      known = &loaded.back();
    }
    core::MxuPushOp::create(e.b, e.loc, known->second, toValue(e, rows), uint32_t(number));
  }
}

Value DotStepEmitter::plusSummand(Value sum, Value summand) {
  if (!sum)
    return summand;
  return parts.isInteger() ? vectorOp<core::VAddOp>(e, sum, summand)
                           : vectorOp<core::VFAddOp>(e, sum, summand);
}

/// Of the last loop over k every step stores both: the last one stays.
DotStores DotStepEmitter::stores(const DotPhase &phase, const Sum &depth) const {
  bool ends = phase.kFirst + phase.kCount * phase.perStep(DotSplit::depth) == shape.kBlocks();
  if (!buffers.rounded || !ends)
    return {true, false};
  if (!depth.isStatic())
    return {true, true};
  bool last = depth.constant == phase.kCount - 1;
  return {!last, last};
}

void DotStepEmitter::pop(const DotPhase &phase, ArrayRef<Array> arrays, DotPass pass, DotSums sums,
                         Value isFirst, DotStores stored, size_t group) {
  int64_t stride = shape.nBlocks();
  bool joins = phase.split == DotSplit::depth;
  Value total; // of arrays that share the output
  for (auto [number, array] : llvm::enumerate(arrays)) {
    if (group >= array.groups.size())
      continue;
    Sum row = plus(e, array.outRow, {Value(), int64_t(group) * sublanes * stride});
    // Made again here: a mask that waits for the results fills a register.
    Value mask = sublanesBetween(e, {}, array.groups[group]);
    bool joinsOthers = joins && total;
    Value before = joinsOthers ? total : Value();
    if (!before && sums != DotSums::replace)
      before = e.load(buffers.out, toValue(e, row), e.constant(stride), mask);
    Value popped = vectorOp<core::MxuPopOp>(e, uint32_t(number));
    Value summand = parts.summand(e, popped, pass);
    total = plusSummand(before, summand);
    if (isFirst && !joinsOthers)
      total = vectorOp<core::VSelectOp>(e, isFirst, summand, total);
    if (joins && number + 1 < arrays.size())
      continue;
    if (stored.sums)
      e.store(total, buffers.out, toValue(e, row), e.constant(stride), mask);
    if (stored.rounded)
      e.store(total, *buffers.rounded, toValue(e, row), e.constant(stride), mask);
  }
}

void DotStepEmitter::emit(const DotPhase &phase, DotPass pass, bool startsNew,
                          const DotPosition &at, const DotPosition &results) {
  DotSums sums = DotSums::add;
  if (startsNew && phase.kFirst == 0)
    sums = !at.depth.isStatic()     ? DotSums::start
           : at.depth.constant == 0 ? DotSums::replace
                                    : DotSums::add;
  SmallVector<Array, 4> arrays = place(phase, at);
  latch(phase, arrays, pass);
  // A result is asked for about when it is there, so that a scheduler short of
  // registers can keep to this order: the array is as deep as sixteen groups.
  constexpr int64_t groupsInFlight = lanes / sublanes + 4;
  SmallVector<Array, 4> outputs = place(phase, results);
  Value isFirst;
  if (sums == DotSums::start)
    isFirst = maskOp<core::VEqOp>(e, results.depth.value, e.constant(0));
  DotStores stored = stores(phase, results.depth);
  for (int64_t group = 0; group < phase.groups + groupsInFlight; ++group) {
    if (group < phase.groups)
      push(arrays, pass, group);
    if (group >= groupsInFlight)
      pop(phase, outputs, pass, sums, isFirst, stored, group - groupsInFlight);
  }
}
