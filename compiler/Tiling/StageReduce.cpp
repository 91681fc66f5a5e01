// Reductions as stages, at once or chunk by chunk.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/SumOrder.h"
#include "compiler/Graph/TensorTypes.h"
#include "compiler/Planning/ReduceSteps.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"
#include "compiler/Tiling/StageExpression.h"

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
  SmallVector<Value> inputs;
  for (OpOperand &operand : op->getOpOperands().take_front(op.getInputs().size())) {
    Value own = ownBlocks.lookup(&operand);
    inputs.push_back(own ? own : operand.get());
  }
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

  const Cut *chunks = blocking.chunksOf(op);
  if (chunks)
    startFromIdentities(op, *chunks, inits);
  SmallVector<Value> outputs;
  for (Value result : op.getResults())
    outputs.push_back(chunks ? kernel::AllocOp::create(b, loc, bufferType(result)).getResult()
                             : destination(result));
  ReduceSteps reduction = reduceSteps(op, sizes);
  if (!reduction.hasSecond()) {
    emitFirstStep(op, reduction, inputs, inits, outputs);
  } else {
    SmallVector<Value> partials;
    for (Value result : op.getResults())
      partials.push_back(kernel::AllocOp::create(
          b, loc, bufferType(reduction.between(sizes), typeOf(result).getElementType())));
    emitFirstStep(op, reduction, inputs, {}, partials);
    emitSecondStep(op, reduction, partials, inits, outputs);
  }
  if (chunks)
    addChunk(op, *chunks, outputs);
  return success();
}

void StageBuilder::emitFirstStep(stablehlo::ReduceOp op, const ReduceSteps &reduction,
                                 ArrayRef<Value> inputs, ArrayRef<Value> inits,
                                 ArrayRef<Value> outputs) {
  Location loc = op.getLoc();
  SmallVector<int64_t> block = blocking.blockShape(op->getOpOperand(0)), sizes;
  SmallVector<AffineExpr> places(block.size());
  for (auto [place, dim] : llvm::enumerate(reduction.space)) {
    sizes.push_back(block[dim]);
    places[dim] = b.getAffineDimExpr(place);
  }
  ExpressionBuilder expression(b, blocking, steps, buffers, ownBlocks, scalars);
  expression.collect(inputs, AffineMap::get(sizes.size(), 0, places, b.getContext()));
  // What lies beyond the last chunk's end takes no part: identities stand there, of unknown ones
  // the initial values, which are no others (StableHLO demands a monoid).
  const Cut *chunks = blocking.chunksOf(op);
  bool isMasked = chunks && chunks->size % chunks->blockSize != 0;
  TypedAttr identity = identityOf(op);
  SmallVector<Value> buffersRead = expression.inputs();
  SmallVector<Attribute> maps(expression.maps(b).getValue());
  if (isMasked && !identity)
    for (Value init : op.getInitValues()) {
      buffersRead.push_back(buffer(init));
      maps.push_back(AffineMapAttr::get(AffineMap::get(sizes.size(), 0, b.getContext())));
    }
  Value left = isMasked ? elementsLeft(loc, *chunks) : Value();
  auto reduce = kernel::ReduceOp::create(b, loc, buffersRead, inits, outputs, b.getArrayAttr(maps),
                                         sizes, reduction.first, reduction.firstPartials);
  OpBuilder::InsertionGuard guard(b);
  expression.emitBody(reduce.getBody(), inputs, loc);
  Block &body = reduce.getBody().front();
  auto yield = cast<kernel::YieldOp>(body.getTerminator());
  b.setInsertionPoint(yield);
  if (isMasked) {
    int64_t place = reduction.placeOf(*chunks->dimOf(op->getOpOperand(0)));
    Value exists = existsInChunk(loc, place, left);
    for (auto [i, value] : llvm::enumerate(yield.getOperands())) {
      Value otherwise =
          identity ? constantElement(b, loc, identity) : body.addArgument(value.getType(), loc);
      yield.setOperand(i, stablehlo::SelectOp::create(b, loc, exists, value, otherwise));
    }
  }
  // What stands beyond the end comes last, whatever place it has.
  cloneCombiner(op, reduce.getCombiner(), /*isAscending=*/!isMasked);
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
void StageBuilder::startFromIdentities(stablehlo::ReduceOp op, const Cut &chunks,
                                       MutableArrayRef<Value> inits) {
  TypedAttr identity = identityOf(op);
  if (!identity)
    return;
  Location loc = op.getLoc();
  Value start = kernel::AllocOp::create(b, loc, cast<kernel::BufferType>(inits[0].getType()));
  emitElements(b, loc, inits[0], start, [&](ValueRange arguments) -> Value {
    return stablehlo::SelectOp::create(b, loc, isFirstChunk(loc, chunks), arguments[0],
                                       constantElement(b, loc, identity));
  });
  inits[0] = start;
}

/// Combines a chunk's results into what those before it have left.
void StageBuilder::addChunk(stablehlo::ReduceOp op, const Cut &chunks, ArrayRef<Value> parts) {
  Location loc = op.getLoc();
  SmallVector<Value> sums, inputs;
  for (Value result : op.getResults())
    sums.push_back(destination(result));
  llvm::append_range(inputs, sums);
  llvm::append_range(inputs, parts);
  int64_t rank = shapeOf(op->getResult(0)).size();
  SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(rank));
  auto map = kernel::MapOp::create(b, loc, inputs, sums, b.getAffineMapArrayAttr(maps));
  OpBuilder::InsertionGuard guard(b);
  cloneCombiner(op, map.getBody(), /*isAscending=*/true);
  auto yield = cast<kernel::YieldOp>(map.getBody().front().getTerminator());
  b.setInsertionPoint(yield);
  Value first = isFirstChunk(loc, chunks);
  for (auto [i, value] : llvm::enumerate(yield.getOperands())) {
    Value part = map.getBody().getArgument(sums.size() + i);
    yield.setOperand(i, stablehlo::SelectOp::create(b, loc, first, part, value));
  }
}

} // namespace systole
