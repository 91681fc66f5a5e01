// Older versions of Mosaic's serialized form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_MOSAIC_UPGRADE_H
#define SYSTOLE_COMPILER_IMPORT_MOSAIC_UPGRADE_H

#include "mlir/IR/OperationSupport.h"

namespace systole {

/// Brings an operation that was written at `version` to the newest one, before it is created.
/// Failure after an error at its location if it is not of that version.
llvm::LogicalResult upgradeMosaic(mlir::OperationState &state, int64_t version);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_MOSAIC_UPGRADE_H
