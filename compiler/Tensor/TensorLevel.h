// The precondition of passes on tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_TENSORLEVEL_H
#define SYSTOLE_COMPILER_TENSOR_TENSORLEVEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace systole {

/// Fails, with an error at the first such operation, if any value in `module` is not a
/// tensor: passes above the kernel level rely on that, but `systole-opt` can run them on any
/// module.
mlir::LogicalResult verifyTensorLevel(mlir::ModuleOp module);

/// Calls `visit` for the functions of a program's tensors: not for those of kernels that it brings
/// along, which are nested modules.
void forEachFunction(mlir::ModuleOp module, llvm::function_ref<void(mlir::func::FuncOp)> visit);

/// The same for all of their blocks, inner ones first.
void forEachBlock(mlir::ModuleOp module, llvm::function_ref<void(mlir::Block &)> visit);

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_TENSORLEVEL_H
