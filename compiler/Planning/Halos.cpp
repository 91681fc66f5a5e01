// What kernels do with buffers that have more elements than a block: halos of windows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Halos.h"

#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

bool readsInPlace(OpOperand &operand) {
  Operation *op = operand.getOwner();
  switch (kindOf(op)) {
  case OpKind::Movement:
  case OpKind::Reduce:
    return true;
  case OpKind::Convolution:
    return operand.getOperandNumber() == 0;
  default:
    return isExpression(op);
  }
}

bool readsPart(OpOperand &operand, const Blocking &blocking) {
  return blocking.hasHalo(operand.get()) && !readsInPlace(operand) &&
         !blocking.hasOwnBlock(operand) &&
         blocking.blockShape(operand) != blocking.blockShape(operand.get());
}

SmallVector<const Cut *> cutsBeyondEnds(Value value, const Blocking &blocking) {
  SmallVector<const Cut *> cuts;
  for (const Cut &cut : blocking.cuts)
    if (const Span *halo = cut.haloOf(value)) {
      int64_t last = (cut.steps() - 1) * halo->stride(cut.blockSize) + halo->offset;
      if (halo->offset < 0 ||
          last + halo->elements(cut.blockSize) > typeOf(value).getDimSize(halo->dim))
        cuts.push_back(&cut);
    }
  return cuts;
}

DenseElementsAttr edgeOf(Value value, const Blocking &blocking) {
  Operation *op = value.getDefiningOp();
  if (!blocking.hasHalo(value) || !op || !isExpression(op) || kindOf(op) == OpKind::Reshape ||
      cutsBeyondEnds(value, blocking).empty())
    return nullptr;
  auto type = RankedTensorType::get({}, typeOf(value).getElementType());
  DenseElementsAttr edge;
  for (OpOperand &use : value.getUses()) {
    bool isOffset =
        llvm::any_of(blocking.cuts, [&](const Cut &cut) { return cut.offsetBlockOf(use); });
    if (!isOffset)
      continue;
    DenseElementsAttr wanted;
    if (isa<stablehlo::ConvolutionOp>(use.getOwner())) {
      wanted = DenseElementsAttr::get(
          type, cast<TypedAttr>(Builder(value.getContext()).getZeroAttr(type.getElementType())));
    } else if (auto pad = dyn_cast<stablehlo::PadOp>(use.getOwner())) {
      Operation *padding = pad.getPaddingValue().getDefiningOp();
      if (!isSplatConstant(padding))
        return nullptr;
      wanted = cast<DenseElementsAttr>(cast<stablehlo::ConstantOp>(padding).getValue());
    } else {
      continue;
    }
    if (edge && edge != wanted)
      return nullptr;
    edge = wanted;
  }
  return edge;
}

} // namespace systole
