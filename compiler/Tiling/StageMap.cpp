// Elementwise expressions and the map stages that compute them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Halos.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"
#include "compiler/Tiling/StageExpression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole {

void StageBuilder::emitMap(Value value, Location loc) {
  int64_t rank = shapeOf(value).size();
  ExpressionBuilder expression(b, blocking, steps, buffers, ownBlocks, scalars);
  expression.collect({{value, b.getMultiDimIdentityMap(rank)}});
  SmallVector<Range> ranges;
  DenseElementsAttr edge = edgeOf(value, blocking);
  if (edge)
    for (const Cut *cut : cutsBeyondEnds(value, blocking))
      ranges.push_back(existing(loc, value, *cut));
  // Only now: the output's own buffer is no input.
  Value output = destination(value);
  auto map = kernel::MapOp::create(b, loc, expression.inputs(), output, expression.maps(b));
  OpBuilder::InsertionGuard guard(b);
  expression.emitBody(map.getBody(), loc);
  if (!edge)
    return;
  auto yield = cast<kernel::YieldOp>(map.getBody().front().getTerminator());
  b.setInsertionPoint(yield);
  Value inside = isWithin(loc, ranges);
  yield.setOperand(0, stablehlo::SelectOp::create(b, loc, inside, yield.getOperand(0),
                                                  constantElement(b, loc, edge)));
}

void StageBuilder::emitResults(ArrayRef<Value> values, Location loc) {
  SmallVector<Value> outputs;
  SmallVector<ExpressionBuilder::Access> roots;
  ExpressionBuilder expression(b, blocking, steps, buffers, ownBlocks, scalars);
  for (Value value : values) {
    AffineMap identity = b.getMultiDimIdentityMap(blocking.resultShape(value).size());
    roots.push_back({value, shiftedBy(identity, blocking.slackOf(value))});
  }
  expression.collect(roots);
  for (Value value : values)
    outputs.push_back(buffers[value] = destinations.lookup(value));
  auto map = kernel::MapOp::create(b, loc, expression.inputs(), outputs, expression.maps(b));
  OpBuilder::InsertionGuard guard(b);
  expression.emitBody(map.getBody(), loc);
}

} // namespace systole
