// Data movement as copy stages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/GroupTensors.h"
#include "compiler/Planning/Halos.h"
#include "compiler/Planning/PadBorders.h"
#include "compiler/Relations/Reshape.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"
#include "compiler/Tiling/StageExpression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

namespace {

/// (d0, d1, ...) -> (offset[i] + stride[i] * d_i).
AffineMap stridedMap(MLIRContext *context, ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides) {
  SmallVector<AffineExpr> results;
  for (auto [i, offset, stride] : llvm::enumerate(offsets, strides))
    results.push_back(getAffineDimExpr(i, context) * stride + offset);
  return AffineMap::get(offsets.size(), 0, results, context);
}

/// From an index in `refined` to one in `shape`, which it refines.
AffineMap regroupMap(MLIRContext *context, ArrayRef<int64_t> refined, ArrayRef<int64_t> shape) {
  SmallVector<AffineExpr> results(shape.size(), getAffineConstantExpr(0, context));
  int64_t part = refined.size();
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    for (int64_t product = 1; product < shape[d];) {
      --part;
      results[d] = results[d] + getAffineDimExpr(part, context) * product;
      product *= refined[part];
    }
  }
  return AffineMap::get(refined.size(), 0, results, context);
}

/// Whether a reshape of one into the other moves nothing.
bool isViewOf(kernel::BufferType type, kernel::BufferType source) {
  int64_t lanes = type.getLaneCount(), sourceLanes = source.getLaneCount();
  bool isFull = lanes % kLanes == 0 && sourceLanes % kLanes == 0;
  return (isFull || lanes == sourceLanes) && type.hasRowsOf(source);
}

} // namespace

void StageBuilder::emitCopy(Location loc, Value source, Value destination, ArrayRef<int64_t> sizes,
                            AffineMap srcMap, AffineMap dstMap, ValueRange srcOffsets,
                            ValueRange dstOffsets) {
  if (llvm::is_contained(sizes, 0))
    return;
  kernel::CopyOp::create(b, loc, source, destination, srcOffsets, dstOffsets, sizes, srcMap,
                         dstMap);
}

void StageBuilder::emitReshapeCopy(Location loc, Value source, Value destination) {
  auto from = cast<kernel::BufferType>(source.getType());
  auto to = cast<kernel::BufferType>(destination.getType());
  MLIRContext *context = b.getContext();
  if (auto sizes = commonRefinement(from.getShape(), to.getShape())) {
    emitCopy(loc, source, destination, *sizes, regroupMap(context, *sizes, from.getShape()),
             regroupMap(context, *sizes, to.getShape()));
    return;
  }
  // Neither shape refines the other: through one dimension.
  int64_t elements = ShapedType::getNumElements(from.getShape());
  Value flat = kernel::AllocOp::create(b, loc, bufferType({elements}, from.getElementType()));
  emitReshapeCopy(loc, source, flat);
  emitReshapeCopy(loc, flat, destination);
}

Value StageBuilder::reshaped(Location loc, kernel::BufferType type, Value source) {
  if (isViewOf(type, cast<kernel::BufferType>(source.getType())))
    return kernel::ViewOp::create(b, loc, type, source);
  Value target = kernel::AllocOp::create(b, loc, type);
  emitReshapeCopy(loc, source, target);
  return target;
}

LogicalResult StageBuilder::emitReshape(stablehlo::ReshapeOp op) {
  Value operand = op.getOperand();
  if (Value block = ownBlocks.lookup(&op->getOpOperand(0))) {
    emitReshapeCopy(op.getLoc(), block, destination(op.getResult()));
    return success();
  }
  // Stays an expression, as where the operand has more elements.
  bool readsMore = shapeOf(operand) != blocking.blockShape(op->getOpOperand(0));
  if (isLaneKeepingReshape(op) && (!buffers.contains(operand) || readsMore))
    return success();
  Value source = buffer(op->getOpOperand(0));
  auto type = bufferType(op.getResult());
  if (isViewOf(type, cast<kernel::BufferType>(source.getType())))
    buffers[op.getResult()] = kernel::ViewOp::create(b, op.getLoc(), type, source);
  else if (isLaneKeepingReshape(op) && !wantsElements(op.getResult()))
    return success();
  else
    emitReshapeCopy(op.getLoc(), source, destination(op.getResult()));
  return success();
}

bool StageBuilder::wantsElements(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return !isExpression(user); });
}

StageBuilder::Source StageBuilder::sourceOf(OpOperand &operand) {
  Source source;
  source.buffer = buffer(operand);
  source.first = blocking.slackOf(operand);
  source.cuts.assign(source.first.size(), nullptr);
  for (const Cut &cut : blocking.cuts)
    if (const OffsetBlock *block = cut.offsetBlockOf(operand))
      source.cuts[block->dim] = &cut;
  return source;
}

Value StageBuilder::firstOf(Location loc, const Cut &cut) {
  return arith::MulIOp::create(b, loc, steps[blocking.axisOf(cut)],
                               constantIndex(loc, cut.blockSize));
}

StageBuilder::Range StageBuilder::existing(Location loc, Value value, const Cut &cut) {
  const Span *halo = cut.haloOf(value);
  int64_t dim = halo ? halo->dim : *cut.dimOf(value);
  int64_t stride = halo ? halo->stride(cut.blockSize) : cut.blockOf(value);
  int64_t begin = halo ? -halo->start(cut.blockSize) : 0;
  Value first =
      arith::MulIOp::create(b, loc, steps[blocking.axisOf(cut)], constantIndex(loc, stride));
  return {dim, first, begin, begin + cast<RankedTensorType>(value.getType()).getDimSize(dim)};
}

Value StageBuilder::isWithin(Location loc, ArrayRef<Range> ranges) {
  auto type = RankedTensorType::get({}, b.getI32Type());
  auto constant = [&](int64_t value) {
    return constantElement(b, loc, DenseElementsAttr::get(type, static_cast<int32_t>(value)));
  };
  Value all;
  for (const Range &range : ranges) {
    Value index = kernel::IndexOp::create(b, loc, type, range.dim);
    if (range.first)
      index = stablehlo::AddOp::create(b, loc, index,
                                       kernel::ScalarOp::create(b, loc, type, range.first));
    for (Value condition :
         {compareElements(b, loc, index, constant(range.begin), stablehlo::ComparisonDirection::GE),
          compareElements(b, loc, index, constant(range.end), stablehlo::ComparisonDirection::LT)})
      all = all ? stablehlo::AndOp::create(b, loc, all, condition).getResult() : condition;
  }
  return all;
}

void StageBuilder::emitSelect(Location loc, Value source, ArrayRef<int64_t> first, Value output,
                              ArrayRef<Range> ranges, Value edge) {
  auto type = cast<kernel::BufferType>(output.getType());
  SmallVector<Value> inputs = {source};
  SmallVector<AffineMap> maps = {shiftedBy(b.getMultiDimIdentityMap(type.getRank()), first)};
  if (edge) {
    inputs.push_back(edge);
    maps.push_back(AffineMap::get(type.getRank(), 0, b.getContext()));
  }
  auto map = kernel::MapOp::create(b, loc, inputs, output, b.getAffineMapArrayAttr(maps));
  OpBuilder::InsertionGuard guard(b);
  Block &body = map.getBody().emplaceBlock();
  for (size_t i = 0; i < inputs.size(); ++i)
    body.addArgument(RankedTensorType::get({}, type.getElementType()), loc);
  b.setInsertionPointToEnd(&body);
  Value inside = isWithin(loc, ranges);
  Value otherwise = edge ? body.getArgument(1) : zeroElement(b, loc, type.getElementType());
  kernel::YieldOp::create(
      b, loc,
      {stablehlo::SelectOp::create(b, loc, inside, body.getArgument(0), otherwise).getResult()});
}

SmallVector<int64_t> StageBuilder::startOf(stablehlo::SliceOp op, const Source &source) {
  SmallVector<int64_t> start(source.first);
  for (auto [d, cut] : llvm::enumerate(source.cuts))
    if (!cut)
      start[d] += op.getStartIndices()[d];
  return start;
}

LogicalResult StageBuilder::emitMovement(Operation *op) {
  MLIRContext *context = b.getContext();
  Value result = op->getResult(0);
  if (auto pad = dyn_cast<stablehlo::PadOp>(op)) {
    emitPad(pad);
    return success();
  }
  if (auto concat = dyn_cast<stablehlo::ConcatenateOp>(op)) {
    emitConcatenate(concat);
    return success();
  }
  if (isMovedByReader(op))
    return success();
  Source source = sourceOf(op->getOpOperand(0));
  SmallVector<int64_t> sizes = shapeOf(result), offsets = source.first, strides(sizes.size(), 1);
  AffineMap srcMap;
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
    SmallVector<unsigned> inverse(sizes.size());
    for (auto [i, d] : llvm::enumerate(transpose.getPermutation()))
      inverse[d] = i;
    srcMap = shiftedBy(AffineMap::getPermutationMap(inverse, context), source.first);
  } else if (auto reverse = dyn_cast<stablehlo::ReverseOp>(op)) {
    for (int64_t d : reverse.getDimensions()) {
      offsets[d] += sizes[d] - 1;
      strides[d] = -1;
    }
    srcMap = stridedMap(context, offsets, strides);
  } else {
    auto slice = cast<stablehlo::SliceOp>(op);
    srcMap = stridedMap(context, startOf(slice, source), slice.getStrides());
  }
  emitCopy(op->getLoc(), source.buffer, destination(result), sizes, srcMap,
           b.getMultiDimIdentityMap(sizes.size()));
  return success();
}

void StageBuilder::emitConcatenate(stablehlo::ConcatenateOp op) {
  Location loc = op.getLoc();
  Value target = destination(op.getResult());
  SmallVector<int64_t> ones(shapeOf(op.getResult()).size(), 1), none(ones.size(), 0);
  int64_t dim = op.getDimension(), begin = 0;
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    int64_t extent = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    if (isZeroSized(input))
      continue;
    Operation *producer = input.getDefiningOp();
    bool isSlice = producer && isMovedByReader(producer);
    OpOperand &operand = isSlice ? producer->getOpOperand(0) : op->getOpOperand(number);
    Source source = sourceOf(operand);
    const Cut *cut = source.cuts[dim];
    SmallVector<int64_t> first =
        isSlice ? startOf(cast<stablehlo::SliceOp>(producer), source) : source.first;
    // Blocks that are read at offsets may have more than the result needs.
    SmallVector<int64_t> sizes = shapeOf(op.getResult()), offsets = none;
    if (!cut) {
      sizes[dim] = isSlice ? shapeOf(input)[dim] : blocking.blockShape(operand)[dim];
      offsets[dim] = begin;
    }
    // Read at offsets, each input gives what the block has of it; the first may give anything
    // elsewhere, which those after it replace.
    bool isFirst = begin == 0;
    Value moved = target;
    if (cut && !isFirst)
      moved = kernel::AllocOp::create(b, loc, bufferType(op.getResult()));
    emitCopy(loc, source.buffer, moved, sizes, stridedMap(b.getContext(), first, ones),
             stridedMap(b.getContext(), offsets, ones));
    if (moved != target) {
      Range range = existing(loc, op.getResult(), *cut);
      range.begin += begin;
      range.end = range.begin + extent;
      emitElements(b, loc, {target, moved}, target, [&](ValueRange elements) -> Value {
        Value inside = isWithin(loc, range);
        return stablehlo::SelectOp::create(b, loc, inside, elements[1], elements[0]);
      });
    }
    begin += extent;
  }
}

void StageBuilder::fillAround(Location loc, Value target, ArrayRef<int64_t> first,
                              ArrayRef<int64_t> sizes, llvm::function_ref<void(Value)> fill) {
  auto type = cast<kernel::BufferType>(target.getType());
  SmallVector<BorderBox> boxes = borderBoxes(type.getShape(), first, sizes);
  if (boxes.empty())
    return fill(target);
  // All rows of the border are copies of one.
  int64_t rank = type.getRank();
  SmallVector<int64_t> rowShape(rank, 1);
  rowShape.back() = type.getShape().back();
  Value row = kernel::AllocOp::create(b, loc, bufferType(rowShape, type.getElementType()));
  fill(row);
  SmallVector<AffineExpr> source(rank, b.getAffineConstantExpr(0));
  source.back() = b.getAffineDimExpr(rank - 1);
  SmallVector<int64_t> ones(rank, 1);
  for (const BorderBox &box : boxes)
    emitCopy(loc, row, target, box.sizes, AffineMap::get(rank, 0, source, b.getContext()),
             stridedMap(b.getContext(), box.first, ones));
}

void StageBuilder::emitPad(stablehlo::PadOp op) {
  MLIRContext *context = b.getContext();
  Location loc = op.getLoc();
  Value result = op.getResult(), padding = buffer(op.getPaddingValue());
  Value target = destination(result), moved = target;
  SmallVector<int64_t> shape = shapeOf(result);
  auto fill = [&](Value output) {
    auto map = kernel::MapOp::create(
        b, loc, padding, output, b.getAffineMapArrayAttr(AffineMap::get(shape.size(), 0, context)));
    OpBuilder::InsertionGuard guard(b);
    Block &body = map.getBody().emplaceBlock();
    BlockArgument value = body.addArgument(op.getPaddingValue().getType(), loc);
    b.setInsertionPointToEnd(&body);
    kernel::YieldOp::create(b, loc, value);
  };
  if (isZeroSized(op.getOperand()))
    return fill(target);

  // The elements that negative edges leave: i in [first, last) of each dimension goes to
  // low + i * (interior + 1). What is read at an offset is all that the block shows.
  OpOperand &operand = op->getOpOperand(0);
  Source source = sourceOf(operand);
  SmallVector<int64_t> operandShape = blocking.blockShape(operand);
  SmallVector<int64_t> sizes, srcOffsets, dstOffsets, dstStrides, ones(shape.size(), 1);
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    int64_t low = op.getEdgePaddingLow()[d], stride = op.getInteriorPadding()[d] + 1;
    if (source.cuts[d]) {
      if (const Span *halo = source.cuts[d]->haloOf(result))
        low -= halo->offset;
      int64_t first = low + llvm::divideCeilSigned(-low, stride) * stride;
      sizes.push_back(llvm::divideCeil(shape[d] - first, stride));
      srcOffsets.push_back(source.first[d]);
      dstOffsets.push_back(first);
      dstStrides.push_back(stride);
      continue;
    }
    int64_t first = low < 0 ? llvm::divideCeil(-low, stride) : 0;
    int64_t last =
        shape[d] - low <= 0
            ? 0
            : std::min<int64_t>(operandShape[d], llvm::divideCeil(shape[d] - low, stride));
    sizes.push_back(std::max<int64_t>(0, last - first));
    srcOffsets.push_back(source.first[d] + first);
    dstOffsets.push_back(low + first * stride);
    dstStrides.push_back(stride);
  }
  if (llvm::is_contained(sizes, 0))
    return fill(target);
  // What is read from beyond the operand's ends is padding, and then all that is not between
  // elements.
  bool isMasked = source.hasOffset() && !edgeOf(op.getOperand(), blocking);
  bool isSpread =
      llvm::any_of(op.getInteriorPadding(), [](int64_t interior) { return interior > 0; });
  if (isMasked)
    moved = kernel::AllocOp::create(b, loc, bufferType(result));
  if (isSpread)
    fill(moved);
  else if (!isMasked)
    fillAround(loc, moved, dstOffsets, sizes, fill);
  emitCopy(loc, source.buffer, moved, sizes, stridedMap(context, srcOffsets, ones),
           stridedMap(context, dstOffsets, dstStrides));
  if (!isMasked)
    return;
  SmallVector<Range> ranges;
  for (auto [number, cut] : llvm::enumerate(source.cuts)) {
    auto dim = static_cast<int64_t>(number);
    int64_t distance = dstStrides[dim];
    if (!cut) {
      int64_t end = dstOffsets[dim] + (sizes[dim] - 1) * distance + 1;
      if (!isSpread && (dstOffsets[dim] > 0 || end < shape[dim]))
        ranges.push_back({dim, Value(), dstOffsets[dim], end});
      continue;
    }
    int64_t extent = cast<RankedTensorType>(op.getOperand().getType()).getDimSize(dim);
    Range range = existing(loc, result, *cut);
    range.begin += op.getEdgePaddingLow()[dim];
    range.end = range.begin + (extent - 1) * distance + 1;
    ranges.push_back(range);
  }
  emitSelect(loc, moved, SmallVector<int64_t>(shape.size(), 0), target, ranges, padding);
}

} // namespace systole
