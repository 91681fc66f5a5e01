// Turns the tensor operations of a fusion into stages: buffers and order.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/StageBuilder.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Planning/GroupTensors.h"
#include "compiler/Planning/Halos.h"
#include "compiler/Planning/SharedExpressions.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tiling/StageExpression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole {

kernel::BufferType StageBuilder::bufferType(ArrayRef<int64_t> shape, Type elementType,
                                            kernel::Space space) const {
  return kernel::BufferType::get(b.getContext(), shape, elementType, space);
}

kernel::BufferType StageBuilder::bufferType(Value value) const {
  return bufferType(shapeOf(value), cast<RankedTensorType>(value.getType()).getElementType());
}

bool StageBuilder::isZeroSized(Value value) const { return llvm::is_contained(shapeOf(value), 0); }

Value StageBuilder::constantIndex(Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

Value StageBuilder::destination(Value value) {
  if (Value buffer = buffers.lookup(value))
    return buffer;
  // What leaves the kernel has no halo.
  Value buffer = blocking.hasHalo(value) ? Value() : destinations.lookup(value);
  if (!buffer)
    buffer = kernel::AllocOp::create(b, value.getLoc(), bufferType(value));
  buffers[value] = buffer;
  return buffer;
}

Value StageBuilder::buffer(Value value) {
  if (Value buffer = buffers.lookup(value))
    return buffer;
  emitMap(value, value.getLoc());
  return buffers.lookup(value);
}

Value StageBuilder::buffer(OpOperand &operand) {
  if (Value own = ownBlocks.lookup(&operand))
    return own;
  Value whole = buffer(operand.get());
  if (!readsPart(operand, blocking))
    return whole;
  Location loc = operand.getOwner()->getLoc();
  SmallVector<int64_t> shape = blocking.blockShape(operand);
  Value part = kernel::AllocOp::create(
      b, loc, bufferType(shape, cast<kernel::BufferType>(whole.getType()).getElementType()));
  AffineMap identity = b.getMultiDimIdentityMap(shape.size());
  emitCopy(loc, whole, part, shape, shiftedBy(identity, blocking.slackOf(operand)), identity);
  return part;
}

static void emitSort(OpBuilder &b, kernel::ColumnSortOp op, ValueRange inputs, ValueRange outputs) {
  auto sort =
      kernel::SortOp::create(b, op.getLoc(), inputs, outputs, op.getChunks(), op.getMerge());
  IRMapping mapping;
  op.getBody().cloneInto(&sort.getBody(), mapping);
}

LogicalResult StageBuilder::visit(Operation *op) {
  if (llvm::all_of(op->getResults(), [&](Value result) { return isZeroSized(result); }))
    return success();
  switch (kindOf(op)) {
  case OpKind::Constant:
  case OpKind::Generator:
  case OpKind::Elementwise:
  case OpKind::Broadcast:
    for (OpResult result : op->getResults())
      if (!buffers.contains(result) &&
          (shared.contains(result) ||
           wantsBuffer(
               result, [](Operation *user) { return !user->hasTrait<OpTrait::IsTerminator>(); },
               destinations.contains(result))))
        emitMap(result, op->getLoc());
    return success();
  case OpKind::Reshape:
    return emitReshape(cast<stablehlo::ReshapeOp>(op));
  case OpKind::Movement:
    return emitMovement(op);
  case OpKind::Indexed:
    emitIndexed(op);
    return success();
  case OpKind::Reduce:
    return emitReduce(cast<stablehlo::ReduceOp>(op));
  case OpKind::Sort:
  case OpKind::Lookup: {
    SmallVector<Value> inputs, outputs;
    for (Value operand : op->getOperands())
      inputs.push_back(buffer(operand));
    for (Value result : op->getResults())
      outputs.push_back(destination(result));
    if (auto sort = dyn_cast<kernel::ColumnSortOp>(op))
      emitSort(b, sort, inputs, outputs);
    else
      kernel::TakeOp::create(b, op->getLoc(), inputs[0], inputs[1], outputs[0]);
    return success();
  }
  case OpKind::Dot:
    return emitDot(cast<stablehlo::DotGeneralOp>(op));
  case OpKind::Convolution:
    return emitConvolution(cast<stablehlo::ConvolutionOp>(op));
  case OpKind::Control:
  case OpKind::Transfer:
  case OpKind::Other:
    break;
  }
  return emitUnsupported(op);
}

void StageBuilder::fillOutputs(ValueRange values) {
  // One map per shape computes all outputs that are still expressions.
  SmallVector<Value> pending;
  for (Value value : values)
    if (!buffers.contains(value) && !isZeroSized(value) && !llvm::is_contained(pending, value))
      pending.push_back(value);
  while (!pending.empty()) {
    SmallVector<int64_t> shape = blocking.resultShape(pending.front());
    SmallVector<Value> same;
    llvm::erase_if(pending, [&](Value value) {
      if (blocking.resultShape(value) != ArrayRef<int64_t>(shape))
        return false;
      same.push_back(value);
      return true;
    });
    emitResults(same, same.front().getLoc());
  }
}

LogicalResult StageBuilder::build(Block &body, ArrayRef<AddedProduct> added) {
  addedProducts = added;
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  shared = sharedExpressions(ops, [&](Value value) { return destinations.contains(value); });
  for (Operation &op : body.without_terminator())
    if (failed(visit(&op)))
      return failure();
  fillOutputs(body.getTerminator()->getOperands());
  for (auto [value, output] : outputs) {
    if (buffers.lookup(value) == output)
      continue;
    // The value already stands elsewhere: an input, a view of a buffer, one with a halo, or another
    // output.
    SmallVector<int64_t> shape = blocking.resultShape(value);
    AffineMap identity = b.getMultiDimIdentityMap(shape.size());
    emitCopy(value.getLoc(), buffers.lookup(value), output, shape,
             shiftedBy(identity, blocking.slackOf(value)), identity);
  }
  return success();
}

} // namespace systole
