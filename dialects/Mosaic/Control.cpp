// Regions, messages, and numbers of a step.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Mosaic/Mosaic.h"

using namespace mlir;
using namespace systole::tpu;

/// Whether the terminator of an operation's only block yields its results.
static LogicalResult verifyYield(Operation *op) {
  TypeRange yielded = op->getRegion(0).front().getTerminator()->getOperandTypes();
  if (yielded != TypeRange(op->getResultTypes()))
    return op->emitOpError("expects its region to yield ")
           << op->getResultTypes() << ", found " << yielded;
  return success();
}

LogicalResult RegionOp::verify() { return verifyYield(*this); }
LogicalResult TraceOp::verify() { return verifyYield(*this); }

LogicalResult LogOp::verify() {
  for (Type type : getInputs().getTypes())
    if (!isa<VectorType>(type) && !type.isIntOrIndexOrFloat())
      return emitOpError("expects numbers or vectors, found ") << type;
  return success();
}

LogicalResult LogBufferOp::verify() {
  MemRefType type = getInput().getType();
  if (int64_t(getShape().size()) != type.getRank())
    return emitOpError("expects ")
           << type.getRank() << " sizes of " << type << ", found " << getShape().size();
  for (auto [size, all] : llvm::zip(getShape(), type.getShape()))
    if (size < 0 || (!ShapedType::isDynamic(all) && size > all))
      return emitOpError("expects sizes within ") << type << ", found " << size;
  return success();
}

LogicalResult AssumeMultipleOp::verify() {
  if (int32_t multiple = getMultiple(); multiple < 1)
    return emitOpError("expects a multiple of at least 1, found ") << multiple;
  return success();
}
