// Row gathers as loops over positions.
// See docs/decisions/gathers-scatters-and-sorts.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/StageGather.h"

#include "compiler/Tensor/OpKinds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

StageBuilder::Gather::Gather(StageBuilder &stages, stablehlo::GatherOp op)
    : stages(stages), b(stages.b), loc(op.getLoc()), op(op),
      operandShape(stages.shapeOf(op.getOperand())), resultShape(stages.shapeOf(op.getResult())),
      indexShape(cast<RankedTensorType>(op.getStartIndices().getType()).getShape()) {
  auto numbers = op.getDimensionNumbers();
  MLIRContext *context = b.getContext();
  for (int64_t d = 0; d < static_cast<int64_t>(resultShape.size()); ++d)
    if (!llvm::is_contained(numbers.getOffsetDims(), d))
      batchDims.push_back(d);
  for (int64_t d = 0; d < static_cast<int64_t>(indexShape.size()); ++d)
    if (d != numbers.getIndexVectorDim())
      positionDims.push_back(d);
  for (int64_t d : batchDims)
    extents.push_back(resultShape[d]);
  for (auto [axis, cut] : llvm::enumerate(stages.blocking.cuts))
    if (auto dim = cut.dimOf(op.getResult()); dim && dim == positionDimOf(op))
      begin = arith::MulIOp::create(b, loc, stages.steps[axis], constant(cut.blockSize));

  SmallVector<AffineExpr> src(operandShape.size(), getAffineConstantExpr(0, context));
  SmallVector<AffineExpr> dst(resultShape.size(), getAffineConstantExpr(0, context));
  for (int64_t d = 0; d < static_cast<int64_t>(operandShape.size()); ++d) {
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), d) ||
        llvm::is_contained(numbers.getOperandBatchingDims(), d))
      continue;
    AffineExpr index = getAffineDimExpr(sizes.size(), context);
    int64_t resultDim = numbers.getOffsetDims()[sizes.size()];
    src[d] = index;
    dst[resultDim] = index;
    sizes.push_back(resultShape[resultDim]);
  }
  srcMap = AffineMap::get(sizes.size(), 0, src, context);
  dstMap = AffineMap::get(sizes.size(), 0, dst, context);
}

Value StageBuilder::Gather::add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
Value StageBuilder::Gather::least(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }

SmallVector<Value> StageBuilder::Gather::offsetsAt(ValueRange counters, ValueRange places,
                                                   Value indices) {
  auto numbers = op.getDimensionNumbers();
  SmallVector<Value> offsets(operandShape.size(), constant(0));
  for (auto [operandDim, indexDim] :
       llvm::zip_equal(numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims())) {
    int64_t number = llvm::find(positionDims, indexDim) - positionDims.begin();
    offsets[operandDim] = numberOf(number, counters[number]);
  }
  for (auto [component, d] : llvm::enumerate(numbers.getStartIndexMap())) {
    // Blocks of what it takes whole are those of the result.
    if (operandShape[d] <= op.getSliceSizes()[d])
      continue;
    SmallVector<Value> place(places);
    if (int64_t dim = numbers.getIndexVectorDim(); dim < static_cast<int64_t>(indexShape.size()))
      place.insert(place.begin() + dim, constant(component));
    offsets[d] = stages.clampedIndex(loc, indices, place, operandShape[d] - op.getSliceSizes()[d]);
  }
  // Windows are those of the present block.
  if (windowOf(op))
    for (const Cut &cut : stages.blocking.cuts)
      if (auto dim = cut.dimOf(op.getResult()))
        if (auto operandDim = operandDimOf(op, *dim))
          offsets[*operandDim] = add(offsets[*operandDim], stages.firstOf(loc, cut));
  return offsets;
}

Value StageBuilder::Gather::emitLoop(Value count) {
  auto loop = scf::ForOp::create(b, loc, constant(0), count, constant(1));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  return loop.getInductionVar();
}

Value StageBuilder::Gather::numberOf(size_t dim, Value index) {
  // The last block may have positions behind the last one.
  return dim == 0 && begin ? least(add(begin, index), constant(indexShape[0] - 1)) : index;
}

void StageBuilder::Gather::forEachPosition(bool overlap, Body body) {
  OpBuilder::InsertionGuard guard(b);
  auto enter = [&] {
    if (overlap)
      b.setInsertionPointToStart(&kernel::OverlapOp::create(b, loc).getBody().emplaceBlock());
  };
  Value indices = op.getStartIndices();
  SmallVector<Value> counters, places;
  auto emitLoops = [&](size_t until) {
    while (counters.size() < until) {
      Value index = emitLoop(constant(extents[counters.size()]));
      places.push_back(numberOf(counters.size(), index));
      counters.push_back(index);
    }
  };
  auto indexType = cast<RankedTensorType>(indices.getType());
  bool isStaged = stages.indexStreams.isStaged(indices);
  int64_t most = stages.indexStreams.chunkWords();
  if (!isStaged || indexType.getNumElements() <= most) {
    if (isStaged) {
      SmallVector<Value> offsets(indexShape.size(), constant(0));
      Value chunk = stages.allocIndices(loc, indexShape);
      stages.loadIndices(loc, indices, chunk, offsets);
      indices = chunk;
    }
    enter();
    emitLoops(extents.size());
    return body(counters, offsetsAt(counters, places, indices));
  }

  // One chunk after the other along `dim`, for each position of the dimensions around it. Chunks
  // have the same number of positions, so that the loop over them can be a pipeline: the last one
  // begins earlier, and does some of them again.
  size_t dim = stages.indexStreams.chunkDimOf(indexType);
  SmallVector<int64_t> shape(indexShape);
  std::fill_n(shape.begin(), dim, 1);
  int64_t words = 1;
  for (int64_t size : ArrayRef(shape).drop_front(dim + 1))
    words *= size;
  int64_t chunks = llvm::divideCeil(extents[dim], std::min(extents[dim], most / words));
  shape[dim] = llvm::divideCeil(extents[dim], chunks);
  emitLoops(dim);
  Value chunk = stages.allocIndices(loc, shape);
  Value number = emitLoop(constant(chunks));
  Value first = least(arith::MulIOp::create(b, loc, number, constant(shape[dim])),
                      constant(extents[dim] - shape[dim]));
  Value wanted = dim == 0 && begin ? add(begin, first) : first;
  // No chunk ends behind the indices.
  Value start = least(wanted, constant(indexShape[dim] - shape[dim]));
  Value shift = arith::SubIOp::create(b, loc, wanted, start);
  SmallVector<Value> offsets(places);
  offsets.push_back(start);
  offsets.resize(shape.size(), constant(0));
  stages.loadIndices(loc, indices, chunk, offsets);
  enter();
  Value index = emitLoop(constant(shape[dim]));
  counters.push_back(add(first, index));
  llvm::fill(places, constant(0));
  places.push_back(least(add(index, shift), constant(shape[dim] - 1)));
  emitLoops(extents.size());
  body(counters, offsetsAt(counters, places, chunk));
}

SmallVector<Value> StageBuilder::Gather::resultOffsets(ValueRange counters) {
  SmallVector<Value> offsets(resultShape.size(), constant(0));
  for (auto [i, d] : llvm::enumerate(batchDims))
    offsets[d] = counters[i];
  return offsets;
}

void StageBuilder::Gather::emit() {
  Value result = op.getResult();
  std::optional<CopyWindow> window;
  if (windowOf(op))
    window = windowOfBlock(op, resultShape);
  Value source = window ? stages.windowed.lookup(op.getOperand()) : stages.buffer(op.getOperand());
  Value target = stages.destination(result);
  if (window && !window->isDirect)
    return emitThroughBoxes(*window, source, target);
  forEachPosition(/*overlap=*/window.has_value(), [&](ValueRange counters, ValueRange offsets) {
    stages.emitCopy(loc, source, target, sizes, srcMap, dstMap, offsets, resultOffsets(counters));
  });
}

/// The boxes arrive in any order and stand one after the other until all are there.
void StageBuilder::Gather::emitThroughBoxes(const CopyWindow &window, Value source, Value target) {
  MLIRContext *context = b.getContext();
  SmallVector<int64_t> shape(extents);
  llvm::append_range(shape, window.place());
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  Value boxes = kernel::AllocOp::create(b, loc, stages.bufferType(shape, element));
  auto behindCounters = [&](ValueRange counters, ValueRange rest) {
    SmallVector<Value> offsets(counters);
    llvm::append_range(offsets, rest);
    return offsets;
  };
  auto behindPositions = [&](AffineMap map) {
    SmallVector<AffineExpr> results(extents.size(), getAffineConstantExpr(0, context));
    llvm::append_range(results, map.getResults());
    return AffineMap::get(map.getNumDims(), 0, results, context);
  };
  forEachPosition(/*overlap=*/true, [&](ValueRange counters, ValueRange offsets) {
    AffineMap identity = b.getMultiDimIdentityMap(window.sizes.size());
    SmallVector<Value> none(window.sizes.size(), constant(0));
    stages.emitCopy(loc, source, boxes, window.sizes, identity, behindPositions(identity),
                    stages.positionOf(loc, window, offsets).start, behindCounters(counters, none));
  });
  forEachPosition(/*overlap=*/false, [&](ValueRange counters, ValueRange offsets) {
    SmallVector<Value> rest = stages.positionOf(loc, window, offsets).rest;
    stages.emitCopy(loc, boxes, target, sizes, behindPositions(srcMap), dstMap,
                    behindCounters(counters, rest), resultOffsets(counters));
  });
}

} // namespace systole
