// The attribute of operations that expand one operation of the program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_PLANES_PARTS_H
#define SYSTOLE_COMPILER_LEGALIZE_PLANES_PARTS_H

#include "mlir/IR/Operation.h"

namespace systole {

/// On an elementwise operation: it is one of many that a single operation of the program expanded
/// to. Fusion counts several of them as one. If they have a number, those with the same one that
/// stand one behind the other share a kernel.
inline constexpr llvm::StringLiteral kPartAttr = "kernel.part";

namespace planes {

/// Marks the elementwise operations from `first` to the one before `end`, to which one operation
/// expanded, if there are many, with a number if they share a kernel.
void markParts(mlir::Operation *first, mlir::Operation *end, mlir::Attribute number = {});

} // namespace planes

} // namespace systole

#endif // SYSTOLE_COMPILER_LEGALIZE_PLANES_PARTS_H
