// DMAs and semaphores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Mosaic/Mosaic.h"

using namespace mlir;
using namespace systole::tpu;

/// Operations take single semaphores; arrays of them are sliced.
static LogicalResult verifySemaphore(Operation *op, Value semaphore) {
  if (auto type = semaphore ? cast<MemRefType>(semaphore.getType()) : MemRefType();
      type && type.getRank() != 0)
    return op->emitOpError("expects one semaphore, found ") << type;
  return success();
}

/// Whether a copy is between arrays of one shape and element type.
static LogicalResult verifyCopy(Operation *op, MemRefType from, MemRefType to) {
  if (from.getElementType() != to.getElementType())
    return op->emitOpError("expects arrays of one element type, found ") << from << " and " << to;
  bool fits = from.getRank() == to.getRank();
  for (int64_t dim = 0; fits && dim < from.getRank(); ++dim)
    fits = from.isDynamicDim(dim) || to.isDynamicDim(dim) ||
           from.getDimSize(dim) == to.getDimSize(dim);
  if (!fits)
    return op->emitOpError("expects arrays of one shape, found ") << from << " and " << to;
  return success();
}

static LogicalResult verifySubcore(Operation *op, Value core, Value subcore) {
  if (subcore && !core)
    return op->emitOpError("expects the core of a subcore");
  return success();
}

LogicalResult EnqueueDMAOp::verify() {
  if (failed(verifyCopy(*this, getSource().getType(), getTarget().getType())) ||
      failed(verifySemaphore(*this, getSourceSemaphore())) ||
      failed(verifySemaphore(*this, getTargetSemaphore())) ||
      failed(verifySubcore(*this, getCoreId(), getSubcoreId())))
    return failure();
  if (getDeviceId() && !getSourceSemaphore())
    return emitOpError("expects a semaphore of the source for a copy to another device");
  if (getSourceSemaphore() && !getDeviceId() && !getCoreId())
    return emitOpError("expects a device or core for a semaphore of the source");
  if (int32_t(getPriority()) < 0)
    return emitOpError("expects a priority of at least 0, found ") << int32_t(getPriority());
  return success();
}

LogicalResult WaitDMA2Op::verify() {
  return failure(failed(verifySemaphore(*this, getSemaphore())) ||
                 failed(verifyCopy(*this, getSrc().getType(), getDst().getType())));
}

LogicalResult WaitDMAOp::verify() {
  if (failed(verifyCopy(*this, getSource().getType(), getTarget().getType())) ||
      failed(verifySemaphore(*this, getSourceSemaphore())) ||
      failed(verifySemaphore(*this, getTargetSemaphore())) ||
      failed(verifySubcore(*this, getCoreId(), getSubcoreId())))
    return failure();
  if (!(getWaitTarget() ? getTargetSemaphore() : getSourceSemaphore()))
    return emitOpError("expects the semaphore that is waited for");
  return success();
}

LogicalResult SemaphoreSignalOp::verify() {
  return failure(failed(verifySemaphore(*this, getSemaphore())) ||
                 failed(verifySubcore(*this, getCoreId(), getSubcoreId())));
}

LogicalResult SemaphoreWaitOp::verify() { return verifySemaphore(*this, getSemaphore()); }
LogicalResult SemaphoreReadOp::verify() { return verifySemaphore(*this, getSemaphore()); }
LogicalResult GetBarrierSemaphoreOp::verify() { return verifySemaphore(*this, getSemaphore()); }
