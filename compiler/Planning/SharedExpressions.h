// Expressions of a kernel that are computed once.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_SHAREDEXPRESSIONS_H
#define SYSTOLE_COMPILER_PLANNING_SHAREDEXPRESSIONS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace systole {

/// Those results of `ops` that leave the kernel and are also part of what another stage computes,
/// and take more instructions than a stage of their own: that computes them, and all others read
/// the buffer of the result. So random bits that choose what is dropped, which the
/// gradient reads again, are not computed by each stage that drops.
llvm::SmallDenseSet<mlir::Value, 4> sharedExpressions(llvm::ArrayRef<mlir::Operation *> ops,
                                                      llvm::function_ref<bool(mlir::Value)> leaves);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_SHAREDEXPRESSIONS_H
