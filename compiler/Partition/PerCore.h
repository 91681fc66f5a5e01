// Numbers that differ from core to core.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PERCORE_H
#define SYSTOLE_COMPILER_PARTITION_PERCORE_H

#include "mlir/IR/Builders.h"

namespace systole::partition {

/// A scalar of type i32 that is `values[c]` on core c.
mlir::Value perCore(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<int64_t> values);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PERCORE_H
