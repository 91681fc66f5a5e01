// The factors along which parts of an operation can be computed by themselves.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_DIVISIBLEFACTORS_H
#define SYSTOLE_COMPILER_PARTITION_DIVISIBLEFACTORS_H

#include "compiler/Partition/Mesh.h"
#include "compiler/Partition/Propagation/ShardingRule.h"

namespace systole::partition {

using Axes = llvm::SmallVector<AxisPart>;

/// Whether `op` can be divided along any factors.
bool isDivisible(mlir::Operation *op, const ShardingRule &rule);

/// Clears the axes of factors along which `op` cannot be divided: a part of the result depends on
/// more than the same part of the operands, as windows of convolutions do and dimensions that
/// updates of slices index; parts of it cannot be combined; or parts of a dimension would not be
/// contiguous. Whether any factor had axes.
bool clearIndivisible(mlir::Operation *op, const ShardingRule &rule,
                      llvm::MutableArrayRef<Axes> axesOfFactors);

/// The dimensions of the array that a gather or scatter indexes with single positions: indices are
/// relative to the core's part where these are divided.
llvm::SmallVector<int64_t> singleIndexedDims(mlir::Operation *op);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_DIVISIBLEFACTORS_H
