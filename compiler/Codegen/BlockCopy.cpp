// Copies of one operand's blocks between HBM and VMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/BlockCopy.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

BlockCopy::BlockCopy(kernel::BufferType type, kernel::OperandAttr operand)
    : packing(32 / type.getStorageBits()) {
  auto groups = [](int64_t lanes) -> int64_t { return llvm::divideCeil(lanes, kLanes); };
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.empty())
    dims.push_back({1, 1, 1, 0, 1, 1, 1, false});
  for (auto [d, extent] : llvm::enumerate(shape)) {
    int64_t block = operand.getBlock()[d], step = operand.strideOf(d), offset = operand.offsetOf(d);
    bool moves = step != 0 && !isa<AffineConstantExpr>(operand.getMap().getResult(d));
    bool isWindow = operand.isWindow() && (moves || block != extent || offset != 0);
    if (d + 1 == shape.size()) {
      // Windows start at whole groups.
      int64_t blockGroups = groups(block);
      step = step == block ? blockGroups : step / kLanes;
      dims.push_back(
          {groups(extent), blockGroups, step, offset / kLanes, 1, 1, blockGroups, isWindow});
    } else {
      dims.push_back({extent, block, step, offset, 1, 1, block, isWindow});
    }
  }
  auto blockType = kernel::BufferType::get(type.getContext(), operand.getBlock(),
                                           type.getElementType(), kernel::Space::vmem);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (d + 1 < type.getRank()) {
      dims[d].hbmStride = type.getPitch(d);
      dims[d].vmemStride = blockType.getPitch(d);
    }
    // Padding is copied where both sides have it.
    if (!dims[d].isClipped() && dims[d].block == dims[d].extent &&
        type.getRowExtent(d) == blockType.getRowExtent(d))
      dims[d].rows = type.getRowExtent(d);
  }
  for (size_t d = dims.size(); d-- > 0;)
    addLevel(d);
  packRuns();

  // The longest level becomes the count of a DMA, the others repeat DMAs. The count can be dynamic:
  // among equal levels the one that the end of the tensor clips is chosen.
  size_t best = 0;
  for (size_t l = 1; l < levels.size(); ++l) {
    auto value = [&](size_t level) {
      return std::pair(levels[level].count, levels[level].clippedDim >= 0);
    };
    if (value(l) > value(best))
      best = l;
  }
  if (!levels.empty()) {
    counted = levels[best];
    levels.erase(levels.begin() + best);
  }
  for (const Level &level : levels)
    dmas *= level.count;
}

bool BlockCopy::isNeverEmpty() const {
  auto isClipped = [](const Level &level) { return level.clippedDim >= 0; };
  // The first of the runs that a copy counts exists, unless a window is out of bounds.
  bool countsAny = !counted || !isClipped(*counted) || !dims[counted->clippedDim].isWindow;
  return countsAny && llvm::none_of(levels, isClipped);
}

void BlockCopy::addLevel(size_t number) {
  const Dim &dim = dims[number];
  bool continues = dim.hbmStride == run && dim.vmemStride == run;
  if (levels.empty() && continues && !dim.isClipped()) {
    run *= dim.rows;
    return;
  }
  // A window of one element can also be out of bounds.
  if (dim.block == 1 && !dim.isWindow)
    return;
  if (!levels.empty() && !dim.isClipped() && levels.back().clippedDim < 0) {
    Level &inner = levels.back();
    if (dim.hbmStride == inner.hbmStride * inner.count &&
        dim.vmemStride == inner.vmemStride * inner.count) {
      inner.count *= dim.block;
      return;
    }
  }
  Level level{dim.block, dim.hbmStride, dim.vmemStride};
  if (dim.isClipped()) {
    level.clippedDim = number;
    level.elementRows = level.runRows = run;
  }
  levels.push_back(level);
}

// Converts logical rows to rows of 512 bytes. Runs that do not fill whole rows are contiguous
// (kernel.func's verifier checks that): they become runs of one row each. A single run extends into
// the padding.
void BlockCopy::packRuns() {
  if (run % packing && !levels.empty()) {
    Level &inner = levels.front();
    inner.count = llvm::divideCeil(inner.count * run, packing);
    inner.hbmStride = inner.vmemStride = inner.runRows = run = packing;
  }
  run = llvm::alignTo(run, packing);
  for (Level &level : levels) {
    level.hbmStride /= packing;
    level.vmemStride /= packing;
  }
}

BlockCopy::Valid BlockCopy::validRuns(Emitter &e, const Level &level, ArrayRef<Value> block) const {
  if (level.clippedDim < 0)
    return {};
  const Dim &dim = dims[level.clippedDim];
  auto runsOf = [&](Value elements) {
    if (level.elementRows == level.runRows)
      return elements;
    return e.divide(e.add(e.mul(elements, level.elementRows), level.runRows - 1), level.runRows);
  };
  Value start = e.add(e.mul(block[level.clippedDim], dim.step), dim.offset), zero = e.constant(0);
  Value left = e.sub(e.constant(dim.extent), start);
  if (!dim.isWindow)
    return {nullptr, e.min(runsOf(left), e.constant(level.count))};
  // Whole runs lie before the first element, and none behind the last one if the block starts
  // there.
  Value before = e.max(e.sub(zero, start), zero);
  return {runsOf(before), e.min(runsOf(e.max(left, zero)), e.constant(level.count))};
}

Value BlockCopy::hbmRow(Emitter &e, ArrayRef<Value> block) const {
  Value row = e.constant(0);
  for (auto [dim, number] : llvm::zip(dims, block))
    row = e.add(row, e.add(e.mul(number, dim.step * dim.hbmStride / packing),
                           dim.offset * dim.hbmStride / packing));
  return row;
}

void BlockCopy::start(Emitter &e, Direction direction, Value hbmRegion, Value hbmRow,
                      int32_t vmemRegion, Value vmemRow, ArrayRef<Value> block, int flag,
                      int64_t maxInFlight, Value condition) const {
  int64_t chunk = run / packing * kLanes;
  Level inner = counted.value_or(Level{1, run / packing, run / packing, -1, 1, 1});
  Valid innerRuns = validRuns(e, inner, block);
  bool isIn = direction == Direction::in;
  int64_t hbmStride = inner.hbmStride * kLanes, vmemStride = inner.vmemStride * kLanes;
  auto hbm = core::MemorySpace::hbm, vmem = core::MemorySpace::vmem;
  auto descriptor = core::DmaAttr::get(e.b.getContext(), isIn ? hbm : vmem, isIn ? vmem : hbm,
                                       chunk, {inner.count}, {isIn ? hbmStride : vmemStride},
                                       {isIn ? vmemStride : hbmStride}, /*arrivalFlag=*/-1);

  bool throttled = dmas > maxInFlight;
  // The flag counts how many more copies may start.
  if (throttled)
    core::FlagAddOp::create(e.b, e.loc, e.constant(maxInFlight), e.constant(-1),
                            e.b.getI32IntegerAttr(flag));
  // Levels from the outermost; `exists` is 0 for runs beyond the end of the tensor.
  auto emit = [&](auto &&self, size_t remaining, Value hbmAt, Value vmemAt, Value exists) -> void {
    if (remaining > 0) {
      const Level &level = levels[remaining - 1];
      Valid valid = validRuns(e, level, block);
      return e.loop(0, level.count, 1, [&](Value i) {
        Value inside = exists;
        auto demand = [&](Value isValid) {
          inside = inside ? e.select(inside, isValid, e.constant(0)) : isValid;
        };
        if (valid.end)
          demand(e.less(i, valid.end));
        if (valid.first)
          demand(e.less(valid.first, e.add(i, 1)));
        self(self, remaining - 1, e.add(hbmAt, e.mul(i, level.hbmStride)),
             e.add(vmemAt, e.mul(i, level.vmemStride)), inside);
      });
    }
    Value count = innerRuns.end;
    if (innerRuns.first) {
      hbmAt = e.add(hbmAt, e.mul(innerRuns.first, inner.hbmStride));
      vmemAt = e.add(vmemAt, e.mul(innerRuns.first, inner.vmemStride));
      count = e.max(e.sub(count, innerRuns.first), e.constant(0));
    }
    if (exists)
      count = e.select(exists, count ? count : e.constant(inner.count), e.constant(0));
    if (throttled)
      e.wait(e.constant(1), flag);
    Value vmemId = e.constant(vmemRegion);
    if (isIn)
      e.startDma(descriptor, vmemId, vmemAt, hbmRegion, hbmAt, flag, count);
    else
      e.startDma(descriptor, hbmRegion, hbmAt, vmemId, vmemAt, flag, count);
  };
  emit(emit, levels.size(), hbmRow, vmemRow, condition);
}
