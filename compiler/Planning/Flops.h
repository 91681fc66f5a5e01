// The arithmetic of tensor operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_FLOPS_H
#define SYSTOLE_COMPILER_PLANNING_FLOPS_H

#include "mlir/IR/Operation.h"

namespace systole {

/// Useful arithmetic of one operation: two per multiply-add of a contraction,
/// one per element of everything that computes.
int64_t flopsOf(mlir::Operation *op);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_FLOPS_H
