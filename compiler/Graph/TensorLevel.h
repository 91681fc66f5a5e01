// What passes on tensors take.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_TENSORLEVEL_H
#define SYSTOLE_COMPILER_GRAPH_TENSORLEVEL_H

#include "mlir/IR/BuiltinOps.h"

namespace systole {

/// Fails, with an error at the first operation on something else, if not all values in `module` are
/// tensors: passes of the levels above kernels rely on that, and `systole-opt` runs them on
/// any module.
mlir::LogicalResult verifyTensorLevel(mlir::ModuleOp module);

} // namespace systole

#endif // SYSTOLE_COMPILER_GRAPH_TENSORLEVEL_H
