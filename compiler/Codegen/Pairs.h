// Elementwise work on bf16 that is not widened: each cell holds two rows, as in memory.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_PAIRS_H
#define SYSTOLE_COMPILER_CODEGEN_PAIRS_H

#include "compiler/Codegen/Access.h"

namespace systole::codegen {

/// Whether all operations of a body have instructions on pairs of bf16. These give the bits of the
/// operation in f32, rounded: those of a body whose operations are rounded one by one.
bool worksOnPairs(mlir::Block &body);

/// Makes rows along the sublane dimension pairs of rows: buffers of bf16 become buffers of as many
/// physical rows of 32-bit cells. Returns false, without changes, if some access does not have both
/// rows of each pair side by side, or one row for both. `inputs` accesses are not written.
bool pairRows(Emitter &e, llvm::SmallVectorImpl<Access> &accesses, size_t inputs,
              llvm::SmallVectorImpl<LoopDim> &dims, size_t sublaneDim);

/// Emits `body`, for which `worksOnPairs` holds, and returns the values that it yields.
llvm::SmallVector<mlir::Value> emitPairs(Emitter &e, mlir::Block &body, mlir::ValueRange args);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_PAIRS_H
