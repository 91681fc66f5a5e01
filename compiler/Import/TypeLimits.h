// How large the types of a text may be.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_TYPELIMITS_H
#define SYSTOLE_COMPILER_IMPORT_TYPELIMITS_H

#include "mlir/IR/BuiltinOps.h"

namespace systole {

/// Refuses types that nest too deep to recurse into, or that would be too long written out: aliases
/// of a text make such types of a few lines. Does not print them. Linear in the number of types.
mlir::LogicalResult checkTypeLimits(mlir::ModuleOp module);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_TYPELIMITS_H
