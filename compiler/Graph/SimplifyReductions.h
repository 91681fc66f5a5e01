// Simplification of reductions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_SIMPLIFYREDUCTIONS_H
#define SYSTOLE_COMPILER_GRAPH_SIMPLIFYREDUCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace systole {

/// Reductions over dimensions of size 1, and of reshapes that merge the dimensions which they
/// reduce.
void addReductionPatterns(mlir::RewritePatternSet &patterns);

} // namespace systole

#endif // SYSTOLE_COMPILER_GRAPH_SIMPLIFYREDUCTIONS_H
