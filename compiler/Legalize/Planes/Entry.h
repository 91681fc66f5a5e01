// Arguments and results of the entry that are split into planes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_PLANES_ENTRY_H
#define SYSTOLE_COMPILER_LEGALIZE_PLANES_ENTRY_H

#include "compiler/Legalize/Planes/Splitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace systole::planes {

/// Splits the arguments of a function, its body and its results, with attributes for their original
/// type.
llvm::LogicalResult splitEntry(mlir::func::FuncOp function, Splitter &s);

} // namespace systole::planes

#endif // SYSTOLE_COMPILER_LEGALIZE_PLANES_ENTRY_H
