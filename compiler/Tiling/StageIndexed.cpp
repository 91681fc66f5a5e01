// Slices, updates and gathers at computed positions, as copy stages with offsets.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/StageBuilder.h"

#include "compiler/Tiling/ScalarArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

Value StageBuilder::clampedIndex(Location loc, Value indices, ValueRange position, int64_t limit) {
  Value index = scalars.lookup(indices);
  if (Value stream = streams.lookup(indices))
    index = kernel::LoadScalarOp::create(b, loc, b.getI32Type(), stream, position);
  else if (!index)
    index = emitScalarConstant(
        b, loc, cast<DenseElementsAttr>(indices.getDefiningOp<stablehlo::ConstantOp>().getValue()));
  index = arith::MaxSIOp::create(b, loc, index, constantIndex(loc, 0));
  return arith::MinSIOp::create(b, loc, index, constantIndex(loc, limit));
}

StageBuilder::Position StageBuilder::positionOf(Location loc, const Window &window,
                                                ValueRange offsets) {
  Position position;
  for (auto [d, offset] : llvm::enumerate(offsets)) {
    Value start = offset, rest = constantIndex(loc, 0);
    if (window.lastStart[d] == 0) {
      std::swap(start, rest);
    } else if (window.sizes[d] != window.slice[d]) {
      // The shift back comes last: it shows that the start is a multiple.
      Value bits = constantIndex(loc, llvm::Log2_64(window.alignment[d]));
      start = arith::MinSIOp::create(b, loc, offset, constantIndex(loc, window.lastStart[d]));
      start = arith::ShRSIOp::create(b, loc, start, bits);
      start = arith::ShLIOp::create(b, loc, start, bits);
      rest = arith::SubIOp::create(b, loc, offset, start);
    }
    position.start.push_back(start);
    position.rest.push_back(rest);
  }
  return position;
}

void StageBuilder::emitIndexed(Operation *op) {
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
    return emitGather(gather);
  Location loc = op->getLoc();
  auto offsetsOf = [&](ValueRange indices, ArrayRef<int64_t> whole, ArrayRef<int64_t> box) {
    SmallVector<Value> offsets;
    for (auto [index, size, boxSize] : llvm::zip_equal(indices, whole, box))
      offsets.push_back(size == boxSize ? constantIndex(loc, 0)
                                        : clampedIndex(loc, index, {}, size - boxSize));
    return offsets;
  };
  if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op))
    return emitUpdate(update, offsetsOf(update.getStartIndices(), shapeOf(update.getOperand()),
                                        shapeOf(update.getUpdate())));
  auto slice = cast<stablehlo::DynamicSliceOp>(op);
  Value result = slice.getResult();
  AffineMap identity = b.getMultiDimIdentityMap(shapeOf(result).size());
  SmallVector<Value> offsets =
      offsetsOf(slice.getStartIndices(), shapeOf(slice.getOperand()), slice.getSliceSizes());
  std::optional<Window> window = windowOf(slice);
  if (!window) {
    Value source = buffer(slice.getOperand());
    return emitCopy(loc, source, destination(result), shapeOf(result), identity, identity, offsets);
  }
  auto [start, rest] = positionOf(loc, *window, offsets);
  Value source = windowed.lookup(slice.getOperand());
  if (window->isExact())
    return emitCopy(loc, source, destination(result), window->sizes, identity, identity, start);
  Value box = kernel::AllocOp::create(b, loc, bufferType(window->sizes, elementOf(result)));
  emitCopy(loc, source, box, window->sizes, identity, identity, start);
  emitCopy(loc, box, destination(result), window->slice, identity, identity, rest);
}

void StageBuilder::emitUpdate(stablehlo::DynamicUpdateSliceOp op, ValueRange offsets) {
  Location loc = op.getLoc();
  Value result = op.getResult();
  SmallVector<int64_t> shape = shapeOf(op.getUpdate());
  AffineMap identity = b.getMultiDimIdentityMap(shape.size());
  std::optional<Window> window = windowOf(op);
  if (!window) {
    Value source = buffer(op.getOperand());
    Value target = destination(result);
    emitCopy(loc, source, target, shapeOf(result), identity, identity);
    if (!isZeroSized(op.getUpdate()))
      emitCopy(loc, buffer(op.getUpdate()), target, shape, identity, identity, {}, offsets);
    return;
  }
  auto [start, rest] = positionOf(loc, *window, offsets);
  Value update = buffer(op.getUpdate()), target = destination(result);
  if (window->isExact())
    return emitCopy(loc, update, target, shape, identity, identity, {}, start);
  // What is beside the slice in its rows stays.
  Value box = kernel::AllocOp::create(b, loc, bufferType(window->sizes, elementOf(result)));
  emitCopy(loc, target, box, window->sizes, identity, identity, start);
  emitCopy(loc, update, box, shape, identity, identity, {}, rest);
  emitCopy(loc, box, target, window->sizes, identity, identity, {}, start);
}

void StageBuilder::emitGather(stablehlo::GatherOp op) {
  Location loc = op.getLoc();
  MLIRContext *context = b.getContext();
  auto numbers = op.getDimensionNumbers();
  Value result = op.getResult();
  std::optional<Window> window = windowOf(op);
  Value source = window ? windowed.lookup(op.getOperand()) : buffer(op.getOperand());
  Value target = destination(result);
  SmallVector<int64_t> operandShape = shapeOf(op.getOperand()), resultShape = shapeOf(result);
  SmallVector<int64_t> indexShape = shapeOf(op.getStartIndices());
  int64_t indexVectorDim = numbers.getIndexVectorDim();
  ArrayRef<int64_t> sliceSizes = op.getSliceSizes();

  // Dimensions of the result: those inside a slice, and those that enumerate
  // the positions, in the order of the indices' dimensions.
  SmallVector<int64_t> batchDims, positionDims, sliceDims;
  for (int64_t d = 0; d < static_cast<int64_t>(resultShape.size()); ++d)
    if (!llvm::is_contained(numbers.getOffsetDims(), d))
      batchDims.push_back(d);
  for (int64_t d = 0; d < static_cast<int64_t>(indexShape.size()); ++d)
    if (d != indexVectorDim)
      positionDims.push_back(d);
  for (int64_t d = 0; d < static_cast<int64_t>(operandShape.size()); ++d)
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), d) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), d))
      sliceDims.push_back(d);

  // From an index of the slice to the operand's, and to the result's.
  SmallVector<int64_t> sizes;
  SmallVector<AffineExpr> srcResults(operandShape.size(), getAffineConstantExpr(0, context));
  SmallVector<AffineExpr> dstResults(resultShape.size(), getAffineConstantExpr(0, context));
  for (auto [i, d] : llvm::enumerate(sliceDims)) {
    sizes.push_back(sliceSizes[d]);
    srcResults[d] = getAffineDimExpr(i, context);
    dstResults[numbers.getOffsetDims()[i]] = getAffineDimExpr(i, context);
  }
  AffineMap srcMap = AffineMap::get(sizes.size(), 0, srcResults, context);
  AffineMap dstMap = AffineMap::get(sizes.size(), 0, dstResults, context);

  Value zero = constantIndex(loc, 0), one = constantIndex(loc, 1);
  /// Runs `body` for each position, with its counters and the start of its slice.
  auto forEachPosition = [&](llvm::function_ref<void(ValueRange, ValueRange)> body) {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> counters;
    for (int64_t d : positionDims) {
      auto loop = scf::ForOp::create(b, loc, zero, constantIndex(loc, indexShape[d]), one);
      counters.push_back(loop.getInductionVar());
      b.setInsertionPoint(loop.getBody()->getTerminator());
    }
    SmallVector<Value> offsets(operandShape.size(), zero);
    for (auto [operandDim, indexDim] :
         llvm::zip_equal(numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims())) {
      int64_t counter = llvm::find(positionDims, indexDim) - positionDims.begin();
      offsets[operandDim] = counters[counter];
    }
    for (auto [component, d] : llvm::enumerate(numbers.getStartIndexMap())) {
      if (operandShape[d] == sliceSizes[d])
        continue;
      SmallVector<Value> position(counters);
      if (indexVectorDim < static_cast<int64_t>(indexShape.size()))
        position.insert(position.begin() + indexVectorDim, constantIndex(loc, component));
      offsets[d] =
          clampedIndex(loc, op.getStartIndices(), position, operandShape[d] - sliceSizes[d]);
    }
    body(counters, offsets);
  };
  auto resultOffsets = [&](ValueRange counters) {
    SmallVector<Value> offsets(resultShape.size(), zero);
    for (auto [i, d] : llvm::enumerate(batchDims))
      offsets[d] = counters[i];
    return offsets;
  };
  if (!window)
    return forEachPosition([&](ValueRange counters, ValueRange offsets) {
      emitCopy(loc, source, target, sizes, srcMap, dstMap, offsets, resultOffsets(counters));
    });

  // Boxes arrive in any order and stand one after the other until all are there; those that
  // are the slices themselves stand where the result wants them if that is at whole rows.
  bool isDirect = window->isExact() && elementOf(result).getIntOrFloatBitWidth() == 32;
  int64_t rank = operandShape.size();
  SmallVector<int64_t> boxes;
  for (int64_t d : positionDims)
    boxes.push_back(indexShape[d]);
  int64_t positions = boxes.size();
  llvm::append_range(boxes, window->sizes);
  Value box;
  if (!isDirect)
    box = kernel::AllocOp::create(b, loc, bufferType(boxes, elementOf(result)));
  // In `box` the operand's dimensions follow the positions.
  auto boxOffsets = [&](ValueRange counters, ValueRange rest) {
    SmallVector<Value> offsets(counters);
    llvm::append_range(offsets, rest);
    return offsets;
  };
  auto behindPositions = [&](AffineMap map) {
    SmallVector<AffineExpr> results(positions, getAffineConstantExpr(0, context));
    llvm::append_range(results, map.getResults());
    return AffineMap::get(map.getNumDims(), 0, results, context);
  };
  auto overlap = kernel::OverlapOp::create(b, loc);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&overlap.getBody().emplaceBlock());
    forEachPosition([&](ValueRange counters, ValueRange offsets) {
      SmallVector<Value> start = positionOf(loc, *window, offsets).start;
      if (isDirect)
        return emitCopy(loc, source, target, sizes, srcMap, dstMap, start, resultOffsets(counters));
      AffineMap identity = b.getMultiDimIdentityMap(rank);
      SmallVector<Value> none(rank, zero);
      emitCopy(loc, source, box, window->sizes, identity, behindPositions(identity), start,
               boxOffsets(counters, none));
    });
  }
  if (!isDirect)
    forEachPosition([&](ValueRange counters, ValueRange offsets) {
      SmallVector<Value> rest = positionOf(loc, *window, offsets).rest;
      emitCopy(loc, box, target, sizes, behindPositions(srcMap), dstMap, boxOffsets(counters, rest),
               resultOffsets(counters));
    });
}

} // namespace systole
