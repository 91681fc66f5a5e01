// The stages of a kernel: buffers, and what becomes of each operation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/StageEstimator.h"

#include "compiler/Planning/Halos.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

StageEstimator::StageEstimator(GroupCosts &group, const Blocking &blocking, int precision)
    : tensors(group.tensors), group(group), blocking(blocking), model(group.model),
      precision(precision), isGrid(blocking.steps() > 1) {
  buffers.insert(tensors.inputs.begin(), tensors.inputs.end());
}

VmemBlock StageEstimator::blockOf(Value value) const {
  return VmemBlock(blocking.blockShape(value), typeOf(value).getElementType());
}

bool StageEstimator::isOperand(Value value) const {
  return !isInside(value) || (tensors.outputs.contains(value) && !blocking.hasHalo(value));
}

bool StageEstimator::hasHalves(Value value) const {
  return isGrid && isOperand(value) && blocking.isCut(value) && blocking.buffersOf({value}) > 1;
}

void StageEstimator::use(Value value, OpOperand *offsetUse) {
  if (!offsetUse)
    while (Value source = views.lookup(value))
      value = source;
  if (isOperand(value))
    record({value, offsetUse});
}

void StageEstimator::record(const OperandBlocks &operand) {
  auto *known = llvm::find_if(operands, [&](auto &entry) { return entry.first == operand; });
  if (known == operands.end())
    operands.push_back({operand, {stages.size(), stages.size()}});
  else
    known->second.last = stages.size();
}

void StageEstimator::define(Value value) {
  use(value);
  addBuffer(value);
}

void StageEstimator::addBuffer(Value value) {
  if (buffers.insert(value).second)
    defined.push_back(value);
}

void StageEstimator::require(Value value) {
  if (!buffers.contains(value))
    estimateMap(value);
}

VmemBlock StageEstimator::require(OpOperand &operand) {
  require(operand.get());
  VmemBlock part(blocking.blockShape(operand), typeOf(operand.get()).getElementType());
  if (readsPart(operand, blocking)) {
    use(operand.get());
    size_t rank = part.shape.size();
    SmallVector<int64_t> zeros(rank, 0), ones(rank, 1);
    estimateCopy(blockOf(operand.get()), part, part.shape, {blocking.slackOf(operand), ones},
                 {zeros, ones});
  }
  return part;
}

void StageEstimator::use(OpOperand &operand) {
  if (blocking.hasOwnBlock(operand))
    use(operand.get(), &operand);
  else
    use(operand.get());
}

void StageEstimator::visit(const GroupCosts::Member &member) {
  if (member.isEmpty)
    return;
  Operation *op = member.op;
  switch (member.kind) {
  case OpKind::Constant:
  case OpKind::Generator:
  case OpKind::Elementwise:
  case OpKind::Broadcast:
    for (Value value : member.buffers)
      estimateMap(value);
    return;
  case OpKind::Reshape:
    return estimateReshape(cast<stablehlo::ReshapeOp>(op));
  case OpKind::Movement:
    return estimateMovement(op);
  case OpKind::Indexed:
    return estimateIndexed(op);
  case OpKind::Reduce:
    return estimateReduce(cast<stablehlo::ReduceOp>(op));
  case OpKind::Sort:
  case OpKind::Lookup:
    for (Value operand : op->getOperands()) {
      require(operand);
      use(operand);
    }
    for (Value result : op->getResults()) {
      define(result);
      use(result);
    }
    if (auto sort = dyn_cast<kernel::ColumnSortOp>(op))
      return add(costOf(sort, blockOf(sort.getResult(0)), model));
    return add(costOf(cast<kernel::LookupOp>(op), blockOf(op->getOperand(0)),
                      blockOf(op->getResult(0)), model));
  case OpKind::Dot:
    return estimateDot(cast<stablehlo::DotGeneralOp>(op));
  case OpKind::Convolution:
    return estimateConvolution(cast<stablehlo::ConvolutionOp>(op));
  case OpKind::Control:
  case OpKind::Transfer:
  case OpKind::Other:
    return;
  }
}

void StageEstimator::fillOutputs() {
  SmallVector<Value> pending, made;
  for (Value value : tensors.outputs)
    if (!buffers.contains(value) && !llvm::is_contained(blocking.resultShape(value), 0))
      pending.push_back(value);
  made = pending;
  while (!pending.empty()) {
    SmallVector<int64_t> shape = blocking.resultShape(pending.front());
    SmallVector<Value> same;
    llvm::erase_if(pending, [&](Value value) {
      if (blocking.resultShape(value) != shape)
        return false;
      same.push_back(value);
      return true;
    });
    estimateResults(same);
  }
  // Results that are views of other buffers, or parts of what has a halo, are copied.
  for (Value value : tensors.outputs)
    if (views.contains(value) || (blocking.hasHalo(value) && !llvm::is_contained(made, value))) {
      VmemBlock block(blocking.resultShape(value), typeOf(value).getElementType());
      use(value);
      record({value});
      SmallVector<int64_t> zeros(block.shape.size(), 0), ones(block.shape.size(), 1);
      estimateCopy(blockOf(value), block, block.shape, {blocking.slackOf(value), ones},
                   {zeros, ones});
    }
}

void StageEstimator::run() {
  for (const GroupCosts::Member &member : group.members)
    visit(member);
  fillOutputs();
}

} // namespace systole
