// The form in which kernels take scatters.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_SCATTERS_H
#define SYSTOLE_COMPILER_GRAPH_SCATTERS_H

#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// Inputs [R, window...], i32 indices [N], updates [N, window...]: every index names a
/// whole row of windows, or an element where there is no window. N is at most a chunk, or a
/// multiple of it, and not 0. The body is elementwise.
bool isRowScatter(stablehlo::ScatterOp op);

/// How many updates with windows of `window` come to VMEM at the same time.
int64_t scatterChunk(llvm::ArrayRef<int64_t> window);

/// Whether the updates of a row scatter come to VMEM in chunks.
bool hasChunks(stablehlo::ScatterOp op);

/// Whether an element of `body` is computed by elementwise operations alone.
bool isElementwiseBody(mlir::Block &body);

} // namespace systole

#endif // SYSTOLE_COMPILER_GRAPH_SCATTERS_H
