// Slices, updates and gathers at computed positions, as copy stages with offsets.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/StageBuilder.h"

#include "compiler/Tiling/ScalarArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace systole {

Value StageBuilder::clampedIndex(Location loc, Value indices, ValueRange position, int64_t limit) {
  Value index = scalars.lookup(indices);
  if (Value stream = streams.lookup(indices))
    index = kernel::LoadScalarOp::create(b, loc, b.getI32Type(), stream, position);
  else if (!index)
    index = emitScalarConstant(
        b, loc,
        cast<DenseElementsAttr>(indices.getDefiningOp<stablehlo::ConstantOp>().getValue()));
  index = arith::MaxSIOp::create(b, loc, index, constantIndex(loc, 0));
  return arith::MinSIOp::create(b, loc, index, constantIndex(loc, limit));
}

LogicalResult StageBuilder::emitIndexed(Operation *op) {
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    emitGather(gather);
    return success();
  }
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  auto offsetsOf = [&](ValueRange indices, ArrayRef<int64_t> whole, ArrayRef<int64_t> box) {
    SmallVector<Value> offsets;
    for (auto [index, size, boxSize] : llvm::zip_equal(indices, whole, box))
      offsets.push_back(size == boxSize
                            ? constantIndex(loc, 0)
                            : clampedIndex(loc, index, {}, size - boxSize));
    return offsets;
  };
  AffineMap identity = b.getMultiDimIdentityMap(shapeOf(result).size());
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op)) {
    Value source = buffer(slice.getOperand());
    SmallVector<Value> offsets =
        offsetsOf(slice.getStartIndices(), shapeOf(slice.getOperand()), slice.getSliceSizes());
    emitCopy(loc, source, destination(result), shapeOf(result), identity, identity, offsets);
    return success();
  }
  auto update = cast<stablehlo::DynamicUpdateSliceOp>(op);
  Value source = buffer(update.getOperand());
  Value target = destination(result);
  emitCopy(loc, source, target, shapeOf(result), identity, identity);
  if (isZeroSized(update.getUpdate()))
    return success();
  SmallVector<int64_t> box = shapeOf(update.getUpdate());
  emitCopy(loc, buffer(update.getUpdate()), target, box, identity, identity, {},
           offsetsOf(update.getStartIndices(), shapeOf(result), box));
  return success();
}

void StageBuilder::emitGather(stablehlo::GatherOp op) {
  Location loc = op.getLoc();
  MLIRContext *context = b.getContext();
  auto numbers = op.getDimensionNumbers();
  Value result = op.getResult();
  Value source = buffer(op.getOperand());
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

  // One copy per position: from the slice's start to the position's place.
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
  SmallVector<Value> counters;
  OpBuilder::InsertionGuard guard(b);
  for (int64_t d : positionDims) {
    auto loop = scf::ForOp::create(b, loc, zero, constantIndex(loc, indexShape[d]), one);
    counters.push_back(loop.getInductionVar());
    b.setInsertionPoint(loop.getBody()->getTerminator());
  }
  SmallVector<Value> srcOffsets(operandShape.size(), zero), dstOffsets(resultShape.size(), zero);
  for (auto [i, d] : llvm::enumerate(batchDims))
    dstOffsets[d] = counters[i];
  for (auto [operandDim, indexDim] :
       llvm::zip_equal(numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims())) {
    int64_t counter = llvm::find(positionDims, indexDim) - positionDims.begin();
    srcOffsets[operandDim] = counters[counter];
  }
  for (auto [component, d] : llvm::enumerate(numbers.getStartIndexMap())) {
    if (operandShape[d] == sliceSizes[d])
      continue;
    SmallVector<Value> position(counters);
    if (indexVectorDim < static_cast<int64_t>(indexShape.size()))
      position.insert(position.begin() + indexVectorDim, constantIndex(loc, component));
    srcOffsets[d] = clampedIndex(loc, op.getStartIndices(), position, operandShape[d] - sliceSizes[d]);
  }
  emitCopy(loc, source, target, sizes, srcMap, dstMap, srcOffsets, dstOffsets);
}

} // namespace systole
