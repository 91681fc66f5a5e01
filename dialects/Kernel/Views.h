// Buffers that are other buffers, or parts of them, under other types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_KERNEL_VIEWS_H
#define SYSTOLE_DIALECTS_KERNEL_VIEWS_H

#include "dialects/Kernel/Kernel.h"

namespace systole::kernel {

/// Whether the result of `op` is memory of its first operand.
inline bool isView(mlir::Operation *op) { return mlir::isa<ViewOp, RowsOp, SlotOp, BitcastOp>(op); }

/// The allocation or operand of the kernel that a buffer is a view of.
inline mlir::Value rootOf(mlir::Value buffer) {
  while (mlir::Operation *op = buffer.getDefiningOp()) {
    if (!isView(op))
      break;
    buffer = op->getOperand(0);
  }
  return buffer;
}

} // namespace systole::kernel

#endif // SYSTOLE_DIALECTS_KERNEL_VIEWS_H
