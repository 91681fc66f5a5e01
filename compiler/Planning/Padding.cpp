// What padding of the layouts costs a kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Padding.h"

#include "compiler/Planning/Cost/Grid.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

/// How often the grid copies a block of `operand`. Last blocks that are shorter count as the part
/// that they are.
static double copiesOf(const GridOperand &operand, const Blocking &blocking) {
  double copies = 1, untilLast = 1;
  for (auto [axis, cut] : llvm::enumerate(blocking.cuts)) {
    double steps = double(cut.steps());
    if (axis < operand.lastShare.size())
      steps += operand.lastShare[axis] - 1;
    copies *= steps;
    // Steps along axes that are inside of all of the operand's keep its block.
    if (operand.axes & (1u << axis))
      untilLast = copies;
  }
  return untilLast;
}

PaddingCost paddingOf(kernel::FusionOp fusion, const Blocking &blocking) {
  PaddingCost cost;
  double moved = 0, padding = 0;
  for (const OperandBlocks &operand : blockedOperands(fusion, blocking)) {
    SmallVector<int64_t> shape = blocking.copiedShape(operand);
    Type element = typeOf(operand.value).getElementType();
    int64_t payload = payloadBytes(RankedTensorType::get(shape, element));
    int64_t inVmem = blockBytes(shape, element), buffers = blocking.buffersOf(operand);
    cost.blockBytes += buffers * inVmem;
    cost.blockPadding += buffers * (inVmem - payload);
    GridOperand inGrid = gridOperandOf(operand, blocking);
    double copies = copiesOf(inGrid, blocking);
    moved += copies * double(inGrid.transfer.bytes());
    padding += copies * double(inGrid.transfer.bytes() - payload);
  }
  cost.movedBytes = std::llround(moved);
  cost.movedPadding = std::llround(padding);
  return cost;
}

} // namespace systole
