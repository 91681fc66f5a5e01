// Classification of StableHLO operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/OpKinds.h"

#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/Scatters.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/RowLayout.h"

using namespace mlir;

namespace systole {

OpKind kindOf(Operation *op) {
  // Planning asks this for each operation and its users again and again: so the interface is looked
  // up by the operation's name alone.
  auto *tensorOp = op->getName().getInterface<TensorOpInterface>();
  if (!tensorOp)
    return OpKind::Other;
  // Two kinds are a matter of form, too.
  const OpKind kind = tensorOp->getOpKind();
  if (kind == OpKind::Indexed) {
    auto scatter = dyn_cast<stablehlo::ScatterOp>(op);
    return !scatter || isRowScatter(scatter) ? kind : OpKind::Other;
  }
  if (kind == OpKind::Convolution)
    return formOf(cast<stablehlo::ConvolutionOp>(op)) ? kind : OpKind::Other;
  return kind;
}

bool isSequenced(Operation *op) {
  OpKind kind = kindOf(op);
  return kind == OpKind::Control || kind == OpKind::Transfer;
}

bool isSplatConstant(Operation *op) {
  auto constant = dyn_cast_or_null<stablehlo::ConstantOp>(op);
  if (!constant)
    return false;
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  return elements && elements.isSplat();
}

bool isRematerializable(Operation *op) {
  if (!op)
    return false;
  switch (kindOf(op)) {
  case OpKind::Constant:
    return isSplatConstant(op);
  case OpKind::Generator:
  case OpKind::Broadcast:
    return true;
  default:
    return false;
  }
}

void appendWithRematerialized(Operation *op, SmallVectorImpl<Operation *> &ops) {
  for (Value operand : op->getOperands())
    if (isRematerializable(operand.getDefiningOp()))
      appendWithRematerialized(operand.getDefiningOp(), ops);
  if (!llvm::is_contained(ops, op))
    ops.push_back(op);
}

void markPerRow(Operation *op) {
  op->setDiscardableAttr(kernel::kPerRowAttr, UnitAttr::get(op->getContext()));
}
bool isPerRow(Operation *op) { return bool(op->getDiscardableAttr(kernel::kPerRowAttr)); }

bool isExpression(Operation *op) {
  switch (kindOf(op)) {
  case OpKind::Constant:
    return isSplatConstant(op);
  case OpKind::Generator:
  case OpKind::Elementwise:
  case OpKind::Broadcast:
    return true;
  case OpKind::Reshape:
    return isLaneKeepingReshape(cast<stablehlo::ReshapeOp>(op));
  default:
    return false;
  }
}

OperandRange indexOperands(Operation *op) {
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op))
    return slice.getStartIndices();
  if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op))
    return update.getStartIndices();
  if (auto part = dyn_cast<kernel::PartOp>(op))
    return part.getStarts();
  if (auto replace = dyn_cast<kernel::ReplacePartOp>(op))
    return replace.getStarts();
  if (isa<kernel::OffloadOp>(op))
    return op->getOperands().drop_front();
  if (isa<kernel::FetchOp>(op))
    return op->getOperands();
  if (isa<stablehlo::GatherOp>(op))
    return op->getOperands().slice(1, 1);
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return op->getOperands().slice(scatter.getInputs().size(), 1);
  return op->getOperands().slice(0, 0);
}

bool isIndexOperand(OpOperand &operand) {
  OperandRange indices = indexOperands(operand.getOwner());
  unsigned begin = indices.empty() ? 0 : indices.getBeginOperandIndex();
  return operand.getOperandNumber() >= begin && operand.getOperandNumber() < begin + indices.size();
}

bool isDeep(stablehlo::DotGeneralOp op) {
  constexpr int64_t wholeDepth = 2048;
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  return lhs.getDimSize(op.getLhsContractingDims().front()) > wholeDepth;
}

ArrayAttr exchanged(ArrayAttr precisionConfig) {
  if (!precisionConfig || precisionConfig.size() != 2)
    return precisionConfig;
  return ArrayAttr::get(precisionConfig.getContext(), {precisionConfig[1], precisionConfig[0]});
}

stablehlo::DotAlgorithmAttr exchanged(stablehlo::DotAlgorithmAttr algorithm) {
  if (!algorithm)
    return nullptr;
  return stablehlo::DotAlgorithmAttr::get(
      algorithm.getContext(), algorithm.getRhsPrecisionType(), algorithm.getLhsPrecisionType(),
      algorithm.getAccumulationType(), algorithm.getRhsComponentCount(),
      algorithm.getLhsComponentCount(), algorithm.getNumPrimitiveOperations(),
      algorithm.getAllowImpreciseAccumulation());
}

bool isUnitReshape(stablehlo::ReshapeOp op) {
  auto nonUnit = [](Type type) {
    return llvm::to_vector(llvm::make_filter_range(cast<RankedTensorType>(type).getShape(),
                                                   [](int64_t size) { return size != 1; }));
  };
  return nonUnit(op.getOperand().getType()) == nonUnit(op.getType());
}

bool isLaneKeepingReshape(stablehlo::ReshapeOp op) {
  auto lanes = [](Type type) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    return shape.empty() ? 1 : shape.back();
  };
  return isUnitReshape(op) &&
         (lanes(op.getType()) == 1 || lanes(op.getType()) == lanes(op.getOperand().getType()));
}

bool isRowView(RankedTensorType from, RankedTensorType to) {
  auto lanes = [](RankedTensorType type) { return type.getRank() ? type.getShape().back() : 1; };
  auto paddingOf = [](RankedTensorType type) {
    return rowPadding(type.getShape(), std::max(8u, type.getElementTypeBitWidth()));
  };
  bool isFull = lanes(from) % kLanes == 0 && lanes(to) % kLanes == 0;
  if ((!isFull && lanes(from) != lanes(to)) || from.getNumElements() != to.getNumElements())
    return false;
  int64_t rows = from.getNumElements() / std::max<int64_t>(1, lanes(from)) *
                 llvm::divideCeil(lanes(from), kLanes);
  RowShape of = {rows, kLanes, paddingOf(from)}, as = {rows, kLanes, paddingOf(to)};
  return haveSamePlaces(rows, of.padding, as.padding) && of.logicalRows() == as.logicalRows();
}

} // namespace systole
