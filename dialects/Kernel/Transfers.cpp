// Transfers between device and host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace systole::kernel {

LogicalResult TransferAttr::verify(function_ref<InFlightDiagnostic()> emitError, Direction,
                                   int64_t channel, TypeAttr type, LayoutAttr layout, StringAttr) {
  if (channel < 0)
    return emitError() << "expects a channel of at least 0, found " << channel;
  auto tensor = dyn_cast<RankedTensorType>(type.getValue());
  if (!tensor)
    return emitError() << "expects a tensor, found " << type;
  return layout.verifyFor(tensor, emitError);
}

static LogicalResult verifyHostCopy(Operation *op, BufferType type) {
  if (type.getSpace() != Space::hbm)
    return op->emitOpError() << "expects a buffer in hbm, found " << type;
  return success();
}

LogicalResult ToHostOp::verify() { return verifyHostCopy(*this, getBuffer().getType()); }

LogicalResult FromHostOp::verify() { return verifyHostCopy(*this, getBuffer().getType()); }

} // namespace systole::kernel
