// Transfer functions of the integer range analysis.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_WIDE64_RANGETABLE_H
#define SYSTOLE_COMPILER_LEGALIZE_WIDE64_RANGETABLE_H

#include "compiler/Legalize/Wide64/Ranges.h"

namespace systole::wide64 {

/// The range of the integer result of `op` for given ranges of its operands; nothing if it is
/// unknown.
std::optional<llvm::ConstantRange> rangeOf(mlir::Operation *op, const IntegerRanges &ranges);

} // namespace systole::wide64

#endif // SYSTOLE_COMPILER_LEGALIZE_WIDE64_RANGETABLE_H
