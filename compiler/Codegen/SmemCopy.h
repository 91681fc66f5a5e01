// Copies of words from and to SMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_SMEMCOPY_H
#define SYSTOLE_COMPILER_CODEGEN_SMEMCOPY_H

#include "compiler/Codegen/CopyBox.h"

namespace systole::codegen {

/// Starts the DMA of a box of elements of 32 bits of which one side, or both, is in SMEM; it adds
/// its words to `flag`. Offsets are as those of `boxOf`. Fails, without a report, if one descriptor
/// cannot describe the box, or if it may begin within a row of HBM or VMEM that it writes.
mlir::LogicalResult startSmemCopy(const CopyWork &work, const CopyIndices &copy,
                                  mlir::ValueRange srcOffsets, mlir::ValueRange dstOffsets,
                                  int flag);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_SMEMCOPY_H
