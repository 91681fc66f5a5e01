// Decomposes scans into loops.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Decompose/Decompose.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole::decomposition {

using namespace stablehlo;

SmallVector<Value> decomposeScan(chlo::ScanOp op) {
  Tensors t(op);
  auto dim = static_cast<int64_t>(op.getDimension());
  int64_t length = op.getLength();
  size_t outputs = op.getOutputs().size();
  SmallVector<Value> values;
  for (Value output : op.getOutputs())
    values.push_back(zeros(t, typeOf(output)));
  llvm::append_range(values, op.getInits());

  auto body = [&](Value trip, ValueRange values) {
    Value index = trip;
    if (op.getIsReverse())
      index = t.apply<SubtractOp>(t.number(t.b.getI32Type(), length - 1), trip);
    IRMapping mapping;
    Block &block = op.getBody().front();
    for (auto [argument, input] : llvm::zip(block.getArguments(), op.getInputs()))
      mapping.map(argument, sliceAt(t, input, dim, index));
    mapping.map(block.getArguments().drop_front(op.getInputs().size()), values.drop_front(outputs));
    for (Operation &inner : block.without_terminator())
      t.b.clone(inner, mapping);
    SmallVector<Value> next;
    for (auto [number, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
      Value result = mapping.lookupOrDefault(value);
      if (number < outputs) {
        SmallVector<int64_t> sizes(shapeOf(values[number]));
        sizes[dim] = 1;
        SmallVector<Value> starts(sizes.size(), t.number(t.b.getI32Type(), 0));
        starts[dim] = index;
        result = DynamicUpdateSliceOp::create(t.b, t.loc, values[number], t.reshape(result, sizes),
                                              starts);
      }
      next.push_back(result);
    }
    return next;
  };
  return t.repeat(length, values, body);
}

} // namespace systole::decomposition
