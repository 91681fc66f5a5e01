// Positions, boxes of iterations, and the loops over them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CopyBox.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

//===----------------------------------------------------------------------===//
// Sums and places
//===----------------------------------------------------------------------===//

Sum codegen::plus(Emitter &e, const Sum &a, const Sum &b) {
  Value value = a.value && b.value ? e.add(a.value, b.value) : a.value ? a.value : b.value;
  return {value, a.constant + b.constant};
}

Sum codegen::times(Emitter &e, const Sum &a, int64_t factor) {
  if (factor == 0)
    return {};
  return {a.value ? e.mul(a.value, factor) : Value(), a.constant * factor};
}

Value codegen::toValue(Emitter &e, const Sum &a) {
  return a.value ? e.add(a.value, a.constant) : e.constant(a.constant);
}

Sum codegen::toSum(Emitter &e, Value value) {
  if (std::optional<int32_t> constant = e.constantValue(value))
    return {Value(), *constant};
  return {value, 0};
}

Position codegen::moved(Emitter &e, const Position &position, int64_t step, const Sum &index) {
  if (step % kLanes == 0)
    return {plus(e, position.row, times(e, index, step / kLanes)), position.lane};
  return {position.row, plus(e, position.lane, times(e, index, step))};
}

Position codegen::split(Emitter &e, const Position &position) {
  if (position.lane.isStatic()) {
    int64_t rows = floorDiv(position.lane.constant, kLanes);
    return {plus(e, position.row, {Value(), rows}),
            {Value(), position.lane.constant - rows * kLanes}};
  }
  Value lane = toValue(e, position.lane);
  Value rows = scalarOp<core::SSraOp>(e, lane, e.constant(7));
  Value rest = scalarOp<core::SAndOp>(e, lane, e.constant(kLanes - 1));
  return {plus(e, position.row, {rows, 0}), {rest, 0}};
}

//===----------------------------------------------------------------------===//
// The box of a copy
//===----------------------------------------------------------------------===//

namespace {
/// constant + sum of coefficients[j] * d_j.
struct Linear {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
};
} // namespace

static Linear linearOf(AffineExpr expr, unsigned dims) {
  Linear result{SmallVector<int64_t>(dims), 0};
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    result.constant = constant.getValue();
  } else if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    result.coefficients[dim.getPosition()] = 1;
  } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    Linear a = linearOf(binary.getLHS(), dims), b = linearOf(binary.getRHS(), dims);
    if (binary.getKind() == AffineExprKind::Add) {
      for (unsigned j = 0; j < dims; ++j)
        result.coefficients[j] = a.coefficients[j] + b.coefficients[j];
      result.constant = a.constant + b.constant;
    } else { // a product of which one factor is a constant
      bool isFactor = llvm::all_of(a.coefficients, [](int64_t c) { return c == 0; });
      const Linear &factor = isFactor ? a : b, &other = isFactor ? b : a;
      for (unsigned j = 0; j < dims; ++j)
        result.coefficients[j] = other.coefficients[j] * factor.constant;
      result.constant = other.constant * factor.constant;
    }
  }
  return result;
}

/// Adds the index map and offsets of one side: its steps in each dimension to `steps`; returns the
/// position of the first iteration.
static Position sideOf(Emitter &e, kernel::BufferType type, AffineMap map, ValueRange offsets,
                       SmallVectorImpl<int64_t> &steps) {
  Position position;
  steps.assign(map.getNumDims(), 0);
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    bool last = d == type.getRank() - 1;
    int64_t pitch = last ? 1 : type.getPitch(d) * kLanes; // in lanes
    Linear linear = linearOf(map.getResult(d), map.getNumDims());
    for (auto [step, coefficient] : llvm::zip_equal(steps, linear.coefficients))
      step += coefficient * pitch;
    Sum offset{Value(), linear.constant};
    if (!offsets.empty())
      offset = plus(e, offset, toSum(e, offsets[d]));
    if (last && offset.value && knownFactor(offset.value) % kLanes == 0) {
      Value rows = scalarOp<core::SSraOp>(e, offset.value, e.constant(7));
      position.row = plus(e, position.row, {rows, 0});
      offset.value = Value();
    }
    position = moved(e, position, pitch, offset);
  }
  return position;
}

/// Extends a copy to the end of the last tile of rows if the destination's last dimension ends in
/// it: the padding behind it may have any value.
static void widenOverPadding(CopyBox &box, kernel::BufferType from, kernel::BufferType to) {
  int64_t count = to.getLaneCount(), widened = to.getLaneTiles() * kLanes;
  bool atStart = box.src.lane.isStatic() && box.dst.lane.isStatic() && box.src.lane.constant == 0 &&
                 box.dst.lane.constant == 0;
  if (!atStart || count == widened || from.getLaneTiles() * kLanes < widened)
    return;
  CopyDim *along = nullptr;
  for (CopyDim &dim : box.dims) {
    if (dim.src == 1 && dim.dst == 1 && dim.size == count && !along)
      along = &dim;
    else if (!dim.isRow())
      return;
  }
  if (along)
    along->size = widened;
  else if (count == 1)
    box.dims.push_back({widened, 1, 1});
}

/// Whether a copy starts with the first index of the dimension of `type` that is padded.
static bool startsWithPadded(Emitter &e, kernel::BufferType type, AffineMap map,
                             ValueRange offsets) {
  int64_t used = type.getPadding().used, padded = type.getRank() - 1;
  while (padded > 0 && type.getPitch(padded - 1) <= used)
    --padded;
  Sum start{Value(), linearOf(map.getResult(padded), map.getNumDims()).constant};
  if (!offsets.empty())
    start = plus(e, start, toSum(e, offsets[padded]));
  return start.isStatic() && start.constant == 0;
}

/// Extends the rows of a dimension that is padded on both sides over padding, which may have any
/// value, so that DMA moves whole rows of 512 bytes: all of it where other rows follow, else what
/// completes the last one. The memory behind a view may end there.
static void extendOverPadding(CopyBox &box, RowPadding padding, int64_t packing) {
  int64_t used = padding.used * kLanes, period = padding.period * kLanes;
  bool repeats = llvm::any_of(
      box.dims, [&](const CopyDim &dim) { return dim.src == period && dim.dst == period; });
  for (CopyDim &dim : box.dims)
    if (dim.src == 1 && dim.dst == 1 && dim.size <= used && used - dim.size < kLanes)
      dim.size = repeats ? period : llvm::alignTo(used, packing * kLanes);
}

CopyBox codegen::boxOf(Emitter &e, const CopyIndices &copy, ValueRange srcOffsets,
                       ValueRange dstOffsets) {
  CopyBox box;
  SmallVector<int64_t> src, dst;
  kernel::BufferType from = copy.source, to = copy.destination;
  box.src = sideOf(e, from, copy.srcMap, srcOffsets, src);
  box.dst = sideOf(e, to, copy.dstMap, dstOffsets, dst);
  for (auto [size, a, b] : llvm::zip_equal(copy.sizes, src, dst)) {
    if (size == 1)
      continue;
    if (b < 0 || (b == 0 && a < 0)) { // the reverse
      box.src = moved(e, box.src, a, {Value(), size - 1});
      box.dst = moved(e, box.dst, b, {Value(), size - 1});
      a = -a;
      b = -b;
    }
    box.dims.push_back({size, a, b});
  }
  widenOverPadding(box, from, to);
  mergeDims(box.dims);
  bool isDma = from.getSpace() == kernel::Space::hbm || to.getSpace() == kernel::Space::hbm;
  if (RowPadding padding = to.getPadding(); isDma && !padding.isNone() &&
                                            padding == from.getPadding() &&
                                            startsWithPadded(e, from, copy.srcMap, srcOffsets) &&
                                            startsWithPadded(e, to, copy.dstMap, dstOffsets)) {
    extendOverPadding(box, padding, 32 / to.getStorageBits());
    mergeDims(box.dims);
  }
  return box;
}

//===----------------------------------------------------------------------===//
// Loads, stores and masks
//===----------------------------------------------------------------------===//

/// The address operand and immediate offset of a row.
static std::pair<Value, int32_t> addressOf(Emitter &e, const BufferRef &buffer, const Sum &row) {
  Sum sum = buffer.base ? plus(e, row, toSum(e, buffer.base)) : row;
  if (sum.constant < INT16_MIN || sum.constant > INT16_MAX)
    return {toValue(e, sum), 0};
  return {sum.value ? sum.value : e.constant(0), static_cast<int32_t>(sum.constant)};
}

Value codegen::loadBits(Emitter &e, const BufferRef &buffer, const Sum &row, int64_t stride,
                        Value mask) {
  auto [address, offset] = addressOf(e, buffer, row);
  Value step = e.constant(stride), all = mask ? mask : e.allMask();
  uint32_t region = buffer.region;
  switch (buffer.type.getStorageBits()) {
  case 8:
    return vectorOp<core::LoadU8Op>(e, address, step, all, static_cast<uint32_t>(offset), region);
  case 16:
    return vectorOp<core::LoadU16Op>(e, address, step, all, static_cast<uint32_t>(offset), region);
  default:
    return vectorOp<core::LoadB32Op>(e, address, step, all, static_cast<uint32_t>(offset), region);
  }
}

void codegen::storeBits(Emitter &e, Value value, const BufferRef &buffer, const Sum &row,
                        int64_t stride, Value mask) {
  auto [address, offset] = addressOf(e, buffer, row);
  Value step = e.constant(stride), all = mask ? mask : e.allMask();
  uint32_t region = buffer.region, at = static_cast<uint32_t>(offset);
  switch (buffer.type.getStorageBits()) {
  case 8:
    core::StoreB8Op::create(e.b, e.loc, value, address, step, all, at, region);
    return;
  case 16:
    core::StoreB16Op::create(e.b, e.loc, value, address, step, all, at, region);
    return;
  default:
    core::StoreB32Op::create(e.b, e.loc, value, address, step, all, at, region);
  }
}

static bool reaches(const Sum &bound, int64_t limit) {
  return bound.isStatic() && bound.constant >= limit;
}
static bool isBelow(const Sum &bound) { return bound.isStatic() && bound.constant <= 0; }

Value codegen::lanesBetween(Emitter &e, const Sum &lower, const Sum &upper) {
  return e.laneMask(isBelow(lower) ? Value() : toValue(e, lower),
                    reaches(upper, kLanes) ? Value() : toValue(e, upper));
}

Value codegen::sublanesBetween(Emitter &e, const Sum &lower, const Sum &upper) {
  return e.sublaneMask(isBelow(lower) ? Value() : toValue(e, lower),
                       reaches(upper, kSublanes) ? Value() : toValue(e, upper));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A loop of `count` iterations that passes the current rows to its body. The rows are
/// loop-carried, so that an iteration takes two additions.
static void carryRows(Emitter &e, int64_t count, int64_t srcStep, int64_t dstStep,
                      const Sum &srcRow, const Sum &dstRow, RowBody body) {
  if (count == 1)
    return body(srcRow, dstRow);
  Value inits[] = {toValue(e, srcRow), toValue(e, dstRow)};
  e.loop(
      0, count, 1, inits,
      [&](Value, ValueRange carried) -> SmallVector<Value> {
        body({carried[0], 0}, {carried[1], 0});
        return {e.add(carried[0], srcStep), e.add(carried[1], dstStep)};
      },
      /*independent=*/true);
}

static void nestRows(Emitter &e, ArrayRef<CopyDim> dims, const Sum &srcRow, const Sum &dstRow,
                     int64_t unroll, RowBody body) {
  if (dims.empty())
    return body(srcRow, dstRow);
  CopyDim dim = dims.front();
  int64_t src = dim.src / kLanes, dst = dim.dst / kLanes;
  if (dims.size() > 1)
    return carryRows(e, dim.size, src, dst, srcRow, dstRow, [&](const Sum &s, const Sum &d) {
      nestRows(e, dims.drop_front(), s, d, unroll, body);
    });
  auto several = [&](const Sum &s, const Sum &d, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      body(plus(e, s, {Value(), i * src}), plus(e, d, {Value(), i * dst}));
  };
  if (dim.size <= unroll)
    return several(srcRow, dstRow, dim.size);
  int64_t count = dim.size / unroll, done = count * unroll;
  carryRows(e, count, src * unroll, dst * unroll, srcRow, dstRow,
            [&](const Sum &s, const Sum &d) { several(s, d, unroll); });
  several(plus(e, srcRow, {Value(), done * src}), plus(e, dstRow, {Value(), done * dst}),
          dim.size - done);
}

void codegen::forEachRow(Emitter &e, ArrayRef<CopyDim> dims, const Sum &srcRow, const Sum &dstRow,
                         int64_t unroll, RowBody body) {
  SmallVector<CopyDim> sorted(dims);
  mergeDims(sorted);
  llvm::sort(sorted, isShorter);
  nestRows(e, sorted, srcRow, dstRow, std::max<int64_t>(unroll, 1), body);
}

void codegen::forEachPosition(Emitter &e, ArrayRef<CopyDim> dims, const Position &src,
                              const Position &dst, BoxBody body) {
  if (dims.empty())
    return body(src, dst);
  int64_t total = 1;
  for (const CopyDim &dim : dims)
    total *= dim.size;
  CopyDim dim = dims.front();
  auto inner = [&](const Sum &index) {
    forEachPosition(e, dims.drop_front(), moved(e, src, dim.src, index),
                    moved(e, dst, dim.dst, index), body);
  };
  bool known = src.lane.isStatic() && dst.lane.isStatic();
  if (known && total <= maxUnrolledPositions) {
    for (int64_t i = 0; i < dim.size; ++i)
      inner({Value(), i});
    return;
  }
  e.loop(0, dim.size, 1, [&](Value index) { inner(toSum(e, index)); }, /*independent=*/true);
}
