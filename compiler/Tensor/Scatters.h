// The canonical form of scatters.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_SCATTERS_H
#define SYSTOLE_COMPILER_TENSOR_SCATTERS_H

#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// Inputs [R, window...], i32 indices [N], updates [N, window...]: every index selects a whole row,
/// or an element if there are no window dimensions. N is at most one chunk, or a multiple of it,
/// and not 0. The body is elementwise.
bool isRowScatter(stablehlo::ScatterOp op);

/// How many updates with windows of shape `window` are in VMEM at once.
int64_t scatterChunk(llvm::ArrayRef<int64_t> window);

/// Whether the updates of a row scatter are loaded to VMEM in chunks.
bool hasChunks(stablehlo::ScatterOp op);

/// Whether `body` consists of elementwise operations.
bool isElementwiseBody(mlir::Block &body);

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_SCATTERS_H
