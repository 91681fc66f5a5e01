// The bounds of what an operation computes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_WIDE64_RANGETABLE_H
#define SYSTOLE_COMPILER_GRAPH_WIDE64_RANGETABLE_H

#include "compiler/Graph/Wide64/Ranges.h"

namespace systole::wide64 {

/// The numbers of the only result of `op`, of integers, given those of its operands; nothing if
/// they can be any.
std::optional<llvm::ConstantRange> rangeOf(mlir::Operation *op, const IntegerRanges &ranges);

} // namespace systole::wide64

#endif // SYSTOLE_COMPILER_GRAPH_WIDE64_RANGETABLE_H
