// Copies by DMA: whole physical rows between VMEM and HBM, words from HBM to SMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_COPYDMA_H
#define SYSTOLE_COMPILER_CODEGEN_COPYDMA_H

#include "compiler/Codegen/CopyBox.h"

namespace systole::codegen {

/// Copies between HBM and VMEM and waits for the end. Diagnosed at `op`: a copy
/// of which it is not known that it moves whole rows of 512 bytes.
mlir::LogicalResult emitDmaCopy(const CopyWork &work, kernel::CopyOp op, CopyBox box);

/// Fills a SMEM buffer with the elements of an HBM array from `offsets` on and waits.
mlir::LogicalResult emitStreamCopy(const CopyWork &work, kernel::CopyOp op,
                                   mlir::ValueRange offsets);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_COPYDMA_H
