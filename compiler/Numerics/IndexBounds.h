// Which indices operations may have.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_NUMERICS_INDEXBOUNDS_H
#define SYSTOLE_COMPILER_NUMERICS_INDEXBOUNDS_H

#include "compiler/Numerics/Taps.h"

#include "mlir/IR/Operation.h"

namespace systole::numerics {

/// The bounds of the operands that are indices of a slice, update, gather or scatter, or that a
/// clamp of integers confines to constants; none of other operations. Without channels.
std::vector<IndexBounds> indexBounds(mlir::Operation *op);

} // namespace systole::numerics

#endif // SYSTOLE_COMPILER_NUMERICS_INDEXBOUNDS_H
