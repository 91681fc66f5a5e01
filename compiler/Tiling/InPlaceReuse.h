// Whether a value can be computed over the buffer of another.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_INPLACEREUSE_H
#define SYSTOLE_COMPILER_TILING_INPLACEREUSE_H

#include "compiler/Tiling/KernelBuilder.h"

namespace systole {

/// Whether `result`, computed by a fusion or by control flow, may be written
/// into the buffer that holds `old` (a carried value of the block; null if the
/// buffer holds nothing). Nothing may read `old` once `result` is being written.
bool canComputeInPlace(mlir::OpResult result, mlir::Value old, const KernelBuilder &kernels);

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_INPLACEREUSE_H
