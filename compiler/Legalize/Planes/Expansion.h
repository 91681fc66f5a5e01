// Marks of operations to which one operation of the program expanded.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_PLANES_EXPANSION_H
#define SYSTOLE_COMPILER_LEGALIZE_PLANES_EXPANSION_H

#include "mlir/IR/Operation.h"

namespace systole::planes {

/// Marks the elementwise operations from `first` to the one before `end`, to which one operation
/// of the program expanded, if there are many, as `kernel.expanded`, with a number if they share a
/// kernel.
void markExpansion(mlir::Operation *first, mlir::Operation *end, mlir::Attribute number = {});

} // namespace systole::planes

#endif // SYSTOLE_COMPILER_LEGALIZE_PLANES_EXPANSION_H
