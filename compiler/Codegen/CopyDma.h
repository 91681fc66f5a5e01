// Copies by DMA: whole physical rows between VMEM and HBM, words from HBM to SMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_COPYDMA_H
#define SYSTOLE_COMPILER_CODEGEN_COPYDMA_H

#include "compiler/Codegen/CopyBox.h"

#include <optional>

namespace systole::codegen {

/// Copies between HBM and VMEM and waits for completion. Emits an error at `op` for a copy that is
/// not known to move whole rows of 512 bytes.
mlir::LogicalResult emitDmaCopy(const CopyWork &work, kernel::CopyOp op, CopyBox box);

/// Starts the DMAs of a copy between HBM and VMEM, or within HBM, each of which counts on `flag`
/// when it is done. How many; nothing if the copy is not known to move whole rows of 512 bytes.
std::optional<int64_t> startDmaCopy(const CopyWork &work, CopyBox box, int flag);
/// How many that starts.
std::optional<int64_t> dmasOf(const CopyWork &work, CopyBox box);
/// Starts the DMA that fills an SMEM buffer with elements of an HBM tensor from `offsets` on.
void startStreamCopy(const CopyWork &work, mlir::ValueRange offsets, int flag);
/// Starts the DMA that copies all of an SMEM buffer to an HBM tensor of its shape.
void startWordsCopy(const CopyWork &work, int flag);

/// Fills an SMEM buffer with elements of an HBM tensor from `offsets` on, and waits.
mlir::LogicalResult emitStreamCopy(const CopyWork &work, kernel::CopyOp op,
                                   mlir::ValueRange offsets);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_COPYDMA_H
