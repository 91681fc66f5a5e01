// Lowers the program outside of kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_PROGRAMLOWERING_H
#define SYSTOLE_COMPILER_CODEGEN_PROGRAMLOWERING_H

#include "compiler/Codegen/Memory.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace systole::codegen {

/// Report attributes of each kernel, by its name.
using KernelReports = llvm::DenseMap<mlir::StringAttr, mlir::DictionaryAttr>;

/// Replaces the body of `main`, and appends its regions to the table, the last ones being those of
/// the module's `kernel.hbm_plan` in order.
mlir::LogicalResult lowerMain(mlir::func::FuncOp main, RegionTable &regions, const Machine &machine,
                              const KernelReports &reports);

/// Erases unused scalar operations.
void removeDeadScalars(mlir::func::FuncOp routine);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_PROGRAMLOWERING_H
