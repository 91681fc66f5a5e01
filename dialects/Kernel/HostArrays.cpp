// Arrays in the memory of the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace systole::kernel {

ArrayAttr hostArraysOf(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  return module ? module->getAttrOfType<ArrayAttr>(kHostArraysAttr) : nullptr;
}

LogicalResult verifyHostArrays(Operation *op, ArrayAttr arrays) {
  for (auto array : arrays.getAsRange<HostArrayAttr>())
    if (!isa<RankedTensorType>(array.getType().getValue()))
      return op->emitOpError() << kHostArraysAttr << ": expects tensors, found " << array.getType();
  return success();
}

int32_t firstPinnedRegion(ArrayAttr arrays, int64_t array) {
  int32_t regions = 0;
  for (auto each : arrays.getAsRange<HostArrayAttr>()) {
    if (array-- == 0)
      break;
    regions += pinnedRegions(each);
  }
  return regions;
}

int32_t pinnedRegions(HostArrayAttr array) {
  auto type = cast<RankedTensorType>(array.getType().getValue());
  return planeCount(TypeAttr::get(type.getElementType()));
}

template <typename Op> static LogicalResult verifyCopy(Op op, RankedTensorType tensor) {
  Value position = op.getPosition();
  if (!position)
    return success();
  auto type = cast<RankedTensorType>(position.getType());
  if (type.getRank() != 0 || !type.getElementType().isIntOrIndex())
    return op.emitOpError() << "expects a position that is an integer, found " << type;
  if (tensor.getRank() == 0)
    return op.emitOpError() << "expects a tensor with a first dimension, found " << tensor;
  return success();
}

LogicalResult OffloadOp::verify() {
  return verifyCopy(*this, cast<RankedTensorType>(getOperand().getType()));
}

LogicalResult FetchOp::verify() {
  return verifyCopy(*this, cast<RankedTensorType>(getResult().getType()));
}

} // namespace systole::kernel
