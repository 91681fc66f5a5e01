// Lowers the program around the kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_PROGRAMLOWERING_H
#define SYSTOLE_COMPILER_CODEGEN_PROGRAMLOWERING_H

#include "compiler/Codegen/Memory.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace systole::codegen {

/// The entries of the report of each kernel, by its name.
using KernelReports = llvm::DenseMap<mlir::StringAttr, mlir::DictionaryAttr>;

/// Replaces the body of `main`, and adds to the table what it uses, in the end the regions of
/// the module's `kernel.hbm_plan` in their order.
mlir::LogicalResult lowerMain(mlir::func::FuncOp main, RegionTable &regions, const Machine &machine,
                              const KernelReports &reports);

/// Erases scalar operations whose results nothing uses.
void removeDeadScalars(mlir::func::FuncOp routine);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_PROGRAMLOWERING_H
