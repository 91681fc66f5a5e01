// Reductions as stages, at once or chunk by chunk.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/ReduceSteps.h"
#include "compiler/Planning/StepChunks.h"
#include "compiler/Tensor/SumOrder.h"
#include "compiler/Tensor/TensorTypes.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"
#include "compiler/Tiling/StageExpression.h"
#include "dialects/Kernel/Bounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole {

Value StageBuilder::isFirstChunk(Location loc, const Cut &chunks) {
  auto index = RankedTensorType::get({}, b.getI32Type());
  Value step = kernel::ScalarOp::create(b, loc, index, steps[blocking.axisOf(chunks)]);
  return compareElements(b, loc, step, zeroElement(b, loc, b.getI32Type()),
                         stablehlo::ComparisonDirection::EQ);
}

Value StageBuilder::existsInChunk(Location loc, int64_t dim, Value left) {
  auto index = RankedTensorType::get({}, b.getI32Type());
  Value position = kernel::IndexOp::create(b, loc, index, dim);
  Value limit = kernel::ScalarOp::create(b, loc, index, left);
  return compareElements(b, loc, position, limit, stablehlo::ComparisonDirection::LT);
}

Value StageBuilder::elementsLeft(Location loc, const Cut &chunks) {
  Value first = firstOf(loc, chunks);
  return arith::SubIOp::create(b, loc, constantIndex(loc, chunks.size), first);
}

LogicalResult StageBuilder::emitReduce(stablehlo::ReduceOp op) {
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes = blocking.blockShape(op->getOpOperand(0));
  SmallVector<Value> inits;
  for (Value init : op.getInitValues())
    inits.push_back(buffer(init));
  // Inputs of no elements have no buffer: the result is the initial value.
  if (llvm::is_contained(sizes, 0)) {
    for (auto [init, result] : llvm::zip_equal(inits, op.getResults())) {
      auto map = kernel::MapOp::create(
          b, loc, init, destination(result),
          b.getAffineMapArrayAttr(AffineMap::get(shapeOf(result).size(), 0, b.getContext())));
      OpBuilder::InsertionGuard guard(b);
      Block &body = map.getBody().emplaceBlock();
      BlockArgument value = body.addArgument(
          RankedTensorType::get({}, cast<RankedTensorType>(result.getType()).getElementType()),
          loc);
      b.setInsertionPointToEnd(&body);
      kernel::YieldOp::create(b, loc, ValueRange(value));
    }
    return success();
  }

  SmallVector<StepChunk> chunks = chunksOfBlock(op, blocking);
  // Combined with what earlier steps, or chunks, have left.
  bool isCombined = blocking.chunksOf(op) || chunks.size() > 1;
  SmallVector<Value> parts;
  for (Value result : op.getResults())
    parts.push_back(isCombined ? kernel::AllocOp::create(b, loc, bufferType(result)).getResult()
                               : destination(result));
  SmallVector<Value> firstInits(inits), laterInits(inits);
  if (isCombined)
    startFromIdentities(op, firstInits, laterInits, chunks.size() > 1);
  for (auto [number, chunk] : llvm::enumerate(chunks)) {
    ReduceSteps reduction = reduceSteps(op, chunk.shape);
    ArrayRef<Value> start = number == 0 ? firstInits : laterInits;
    if (!reduction.hasSecond()) {
      emitFirstStep(op, reduction, chunk, start, parts);
    } else {
      SmallVector<Value> partials;
      for (Value result : op.getResults())
        partials.push_back(kernel::AllocOp::create(
            b, loc, bufferType(reduction.between(chunk.shape), typeOf(result).getElementType())));
      emitFirstStep(op, reduction, chunk, {}, partials);
      emitSecondStep(op, reduction, partials, start, parts);
    }
    if (isCombined)
      addChunk(op, parts, /*isFirst=*/number == 0);
  }
  return success();
}

void StageBuilder::emitFirstStep(stablehlo::ReduceOp op, const ReduceSteps &reduction,
                                 const StepChunk &chunk, ArrayRef<Value> inits,
                                 ArrayRef<Value> outputs) {
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes;
  SmallVector<AffineExpr> places(chunk.shape.size());
  for (auto [place, dim] : llvm::enumerate(reduction.space)) {
    sizes.push_back(chunk.shape[dim]);
    places[dim] = b.getAffineDimExpr(place) + chunk.first[dim];
  }
  ExpressionBuilder expression(b, blocking, steps, buffers, ownBlocks, scalars);
  auto map = AffineMap::get(sizes.size(), 0, places, b.getContext());
  SmallVector<ExpressionBuilder::Access> inputs;
  for (OpOperand &operand : op->getOpOperands().take_front(op.getInputs().size())) {
    Value own = ownBlocks.lookup(&operand);
    inputs.push_back({own ? own : operand.get(), shiftedBy(map, blocking.slackOf(operand))});
  }
  expression.collect(inputs);
  // What lies beyond the end of a dimension takes no part: identities stand there, of unknown ones
  // the initial values, which are no others (StableHLO demands a monoid).
  SmallVector<std::pair<int64_t, Value>> masked; // a place, and the indices that exist there
  for (const Cut &cut : blocking.cuts)
    if (llvm::is_contained(cut.map->accumulating, op) && cut.size % cut.blockSize != 0) {
      int64_t dim = *cut.dimOf(op->getOpOperand(0));
      Value left = arith::SubIOp::create(b, loc, elementsLeft(loc, cut),
                                         constantIndex(loc, chunk.first[dim]));
      masked.emplace_back(reduction.placeOf(dim), left);
    }
  bool isMasked = !masked.empty();
  SmallVector<TypedAttr, 2> identities = identitiesOf(op);
  SmallVector<Value> buffersRead = expression.inputs();
  SmallVector<Attribute> maps(expression.maps(b).getValue());
  for (auto [input, map] : llvm::zip_equal(buffersRead, maps))
    takeLanes(loc, sizes, input, map);
  if (isMasked && identities.empty())
    for (Value init : op.getInitValues()) {
      buffersRead.push_back(buffer(init));
      maps.push_back(AffineMapAttr::get(AffineMap::get(sizes.size(), 0, b.getContext())));
    }
  auto reduce = kernel::ReduceOp::create(b, loc, buffersRead, inits, outputs, b.getArrayAttr(maps),
                                         sizes, reduction.first, reduction.firstPartials);
  OpBuilder::InsertionGuard guard(b);
  expression.emitBody(reduce.getBody(), loc);
  Block &body = reduce.getBody().front();
  auto yield = cast<kernel::YieldOp>(body.getTerminator());
  b.setInsertionPoint(yield);
  if (isMasked) {
    Value exists;
    for (auto [place, left] : masked) {
      Value one = existsInChunk(loc, place, left);
      exists = exists ? stablehlo::AndOp::create(b, loc, exists, one).getResult() : one;
    }
    for (auto [i, value] : llvm::enumerate(yield.getOperands())) {
      Value otherwise = identities.empty() ? body.addArgument(value.getType(), loc)
                                           : constantElement(b, loc, identities[i]);
      yield.setOperand(i, stablehlo::SelectOp::create(b, loc, exists, value, otherwise));
    }
  }
  // What stands beyond the end comes last, whatever place it has.
  cloneCombiner(op, reduce.getCombiner(), /*isAscending=*/!isMasked);
}

/// Stages read all lanes of a buffer. Where `map` wants a part of them, as of a vector with an
/// element for each index of several chunks, they read a copy of it.
void StageBuilder::takeLanes(Location loc, ArrayRef<int64_t> sizes, Value &input, Attribute &map) {
  AffineMap read = cast<AffineMapAttr>(map).getValue();
  int64_t rank = read.getNumResults();
  std::optional<kernel::LinearIndex> lanes =
      rank == 0 ? std::nullopt : kernel::linearIndexOf(read.getResult(rank - 1));
  auto type = cast<kernel::BufferType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (!lanes || !lanes->dim || shape.back() == sizes[*lanes->dim])
    return;
  shape.back() = sizes[*lanes->dim];
  Value copy = kernel::AllocOp::create(b, loc, bufferType(shape, type.getElementType()));
  AffineMap to = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineExpr> from(to.getResults()), inCopy(read.getResults());
  from.back() = from.back() + lanes->offset;
  inCopy.back() = b.getAffineDimExpr(*lanes->dim);
  emitCopy(loc, input, copy, shape, AffineMap::get(rank, 0, from, b.getContext()), to);
  input = copy;
  map = AffineMapAttr::get(AffineMap::get(read.getNumDims(), 0, inCopy, b.getContext()));
}

void StageBuilder::emitSecondStep(stablehlo::ReduceOp op, const ReduceSteps &reduction,
                                  ArrayRef<Value> inputs, ArrayRef<Value> inits,
                                  ArrayRef<Value> outputs) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> sizes = cast<kernel::BufferType>(inputs.front().getType()).getShape();
  SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(sizes.size()));
  auto reduce =
      kernel::ReduceOp::create(b, loc, inputs, inits, outputs, b.getAffineMapArrayAttr(maps), sizes,
                               reduction.second, reduction.secondPartials);
  OpBuilder::InsertionGuard guard(b);
  Block &body = reduce.getBody().emplaceBlock();
  for (Value result : op.getResults())
    body.addArgument(RankedTensorType::get({}, typeOf(result).getElementType()), loc);
  b.setInsertionPointToEnd(&body);
  kernel::YieldOp::create(b, loc, body.getArguments());
  // Rows of later elements may come before those of earlier ones.
  cloneCombiner(op, reduce.getCombiner(), /*isAscending=*/false);
}

void StageBuilder::cloneCombiner(stablehlo::ReduceOp op, Region &region, bool isAscending) {
  IRMapping mapping;
  op.getBody().cloneInto(&region, mapping);
  Operation *terminator = region.front().getTerminator();
  b.setInsertionPoint(terminator);
  kernel::YieldOp::create(b, terminator->getLoc(), terminator->getOperands());
  terminator->erase();
  if (!isAscending)
    for (Operation &inner : region.front())
      inner.removeAttr(kernel::kAscendingAttr);
}

/// The initial values take part once, with the first chunk, or if no identity is known with
/// each.
void StageBuilder::startFromIdentities(stablehlo::ReduceOp op, MutableArrayRef<Value> first,
                                       MutableArrayRef<Value> later, bool hasLater) {
  for (auto [i, identity] : llvm::enumerate(identitiesOf(op))) {
    Location loc = op.getLoc();
    auto type = cast<kernel::BufferType>(first[i].getType());
    if (hasLater) {
      later[i] = kernel::AllocOp::create(b, loc, type);
      emitElements(b, loc, {}, later[i],
                   [&](ValueRange) { return constantElement(b, loc, identity); });
    }
    if (!blocking.chunksOf(op))
      continue;
    Value start = kernel::AllocOp::create(b, loc, type);
    emitElements(b, loc, first[i], start, [&](ValueRange arguments) -> Value {
      return stablehlo::SelectOp::create(b, loc, isFirstOfChunks(op), arguments[0],
                                         constantElement(b, loc, identity));
    });
    first[i] = start;
  }
}

/// Combines a chunk's results into what those before it have left; the first chunk of all
/// replaces it.
void StageBuilder::addChunk(stablehlo::ReduceOp op, ArrayRef<Value> parts, bool isFirst) {
  Location loc = op.getLoc();
  SmallVector<Value> sums, inputs;
  for (Value result : op.getResults())
    sums.push_back(destination(result));
  int64_t rank = shapeOf(op->getResult(0)).size();
  auto identityMaps = [&](size_t count) {
    return b.getAffineMapArrayAttr(SmallVector<AffineMap>(count, b.getMultiDimIdentityMap(rank)));
  };
  if (isFirst && !blocking.chunksOf(op)) {
    for (auto [part, sum] : llvm::zip_equal(parts, sums))
      emitCopy(loc, part, sum, shapeOf(op->getResult(0)), b.getMultiDimIdentityMap(rank),
               b.getMultiDimIdentityMap(rank));
    return;
  }
  llvm::append_range(inputs, sums);
  llvm::append_range(inputs, parts);
  auto map = kernel::MapOp::create(b, loc, inputs, sums, identityMaps(inputs.size()));
  OpBuilder::InsertionGuard guard(b);
  cloneCombiner(op, map.getBody(), /*isAscending=*/true);
  if (!isFirst)
    return;
  auto yield = cast<kernel::YieldOp>(map.getBody().front().getTerminator());
  b.setInsertionPoint(yield);
  Value replaces = isFirstOfChunks(op);
  for (auto [i, value] : llvm::enumerate(yield.getOperands())) {
    Value part = map.getBody().getArgument(sums.size() + i);
    yield.setOperand(i, stablehlo::SelectOp::create(b, loc, replaces, part, value));
  }
}

} // namespace systole
