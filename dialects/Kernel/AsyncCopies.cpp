// Copies that are in flight while kernels run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/SyncFlags.h"

using namespace mlir;
using namespace systole::kernel;

LogicalResult StartLoadOp::verify() {
  if (getSource().getType().getSpace() != Space::hbm ||
      getTarget().getType().getSpace() != Space::vmem)
    return emitOpError("expects to copy from hbm to vmem");
  return success();
}

static LogicalResult verifyStart(Operation *op, BufferType type) {
  if (type.getSpace() != Space::hbm)
    return op->emitOpError() << "expects a buffer in hbm, found " << type;
  return success();
}

LogicalResult StartOffloadOp::verify() { return verifyStart(*this, getBuffer().getType()); }

LogicalResult StartFetchOp::verify() { return verifyStart(*this, getBuffer().getType()); }

LogicalResult WaitOp::verify() {
  if (getFlags().empty())
    return emitOpError("expects a flag to wait for");
  for (int32_t flag : getFlags())
    if (flag < kFirstCopyFlag || flag > kLastCopyFlag)
      return emitOpError() << "expects flags between " << kFirstCopyFlag << " and " << kLastCopyFlag
                           << ", found " << flag;
  return success();
}
