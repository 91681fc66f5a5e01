// Elementwise expressions and the map stages that compute them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/OpKinds.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageExpression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole {

void StageBuilder::emitMap(ArrayRef<Value> values, Location loc) {
  SmallVector<int64_t> shape = shapeOf(values.front());
  SmallVector<Value> outputs;
  ExpressionBuilder expression(b, blocking, steps, buffers, ownBlocks, scalars);
  expression.collect(values, b.getMultiDimIdentityMap(shape.size()));
  // Only now: the outputs' own buffers are no inputs.
  for (Value value : values)
    outputs.push_back(destination(value));
  auto map = kernel::MapOp::create(b, loc, expression.inputs(), outputs, expression.maps(b));
  OpBuilder::InsertionGuard guard(b);
  expression.emitBody(map.getBody(), values, loc);
}

} // namespace systole
