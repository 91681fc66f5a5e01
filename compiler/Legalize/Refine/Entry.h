// Arguments and results of a program whose shapes are refined.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_REFINE_ENTRY_H
#define SYSTOLE_COMPILER_LEGALIZE_REFINE_ENTRY_H

#include "compiler/Legalize/Refine/Padded.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace systole::refine {

/// The type with the sizes of `shape` for its dynamic ones; an error if others differ.
llvm::FailureOr<mlir::Type> refinedType(mlir::Operation *op, mlir::Type type,
                                        llvm::ArrayRef<int64_t> shape, const llvm::Twine &what);

/// Gives the arguments the shapes in `shapes`, JSON; none if it is empty. Those with bounds become
/// padded arrays, whose sizes are arguments behind them.
llvm::LogicalResult setArguments(mlir::func::FuncOp entry, llvm::StringRef shapes,
                                 PaddedArrays &padded);

/// Returns the sizes of padded arrays behind them, and gives the function the types of its block.
void setResults(mlir::func::FuncOp entry, const PaddedArrays &padded);

} // namespace systole::refine

#endif // SYSTOLE_COMPILER_LEGALIZE_REFINE_ENTRY_H
