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

/// A dimension of a copy besides those of its box, of which a scalar gives the size; `dim` has the
/// largest one.
struct CountedDim {
  CopyDim dim;
  mlir::Value count;
};

/// Starts the DMAs of a copy between HBM and VMEM, or within HBM, which add their words to `flag`
/// when they are done. Fails if the copy is not known to move whole rows of 512 bytes; nothing has
/// been reported then.
mlir::LogicalResult startDmaCopy(const CopyWork &work, CopyBox box,
                                 const std::optional<CountedDim> &counted, int flag);
/// The words of 32 bits that such a copy moves; null if it is not known to move whole rows.
mlir::Value wordsOf(const CopyWork &work, CopyBox box, const std::optional<CountedDim> &counted);

/// Fills an SMEM buffer with elements of an HBM tensor from `offsets` on, and waits.
mlir::LogicalResult emitStreamCopy(const CopyWork &work, kernel::CopyOp op,
                                   mlir::ValueRange offsets);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_COPYDMA_H
