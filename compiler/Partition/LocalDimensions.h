// Dimensions along which parts of an operation depend on each other.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_LOCALDIMENSIONS_H
#define SYSTOLE_COMPILER_PARTITION_LOCALDIMENSIONS_H

#include "compiler/Partition/Propagation/ShardingRule.h"

namespace systole::partition {

/// The factors of `rule` along which a part of the result depends on more than the same part of the
/// operands, although shardings are propagated along them: windows of convolutions, and dimensions
/// that scatters and updates of slices index.
llvm::SmallVector<int64_t> factorsAcrossParts(mlir::Operation *op, const ShardingRule &rule);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_LOCALDIMENSIONS_H
