// The precondition of passes on tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_TENSORLEVEL_H
#define SYSTOLE_COMPILER_TENSOR_TENSORLEVEL_H

#include "mlir/IR/BuiltinOps.h"

namespace systole {

/// Fails, with an error at the first such operation, if any value in `module` is not a
/// tensor: passes above the kernel level rely on that, but `systole-opt` can run them on any
/// module.
mlir::LogicalResult verifyTensorLevel(mlir::ModuleOp module);

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_TENSORLEVEL_H
