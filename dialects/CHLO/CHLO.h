// The CHLO dialect: its operations and attributes.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_CHLO_CHLO_H
#define SYSTOLE_DIALECTS_CHLO_CHLO_H

#include "dialects/StableHLO/StableHLO.h"

#include "dialects/CHLO/CHLODialect.h.inc"

#include "dialects/CHLO/CHLOEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/CHLO/CHLOAttrs.h.inc"

namespace systole::chlo {

/// The dimensions of the operand of rank `high` that correspond to those of the operand
/// of rank `low`: `given`, or the last ones.
llvm::SmallVector<int64_t> broadcastDims(std::optional<llvm::ArrayRef<int64_t>> given, int64_t low,
                                         int64_t high);

/// Checks the types of an operation that broadcasts its first two operands.
llvm::LogicalResult verifyBroadcast(mlir::Operation *op,
                                    std::optional<llvm::ArrayRef<int64_t>> dims);

} // namespace systole::chlo

#define GET_OP_CLASSES
#include "dialects/CHLO/Binary.h.inc"
#define GET_OP_CLASSES
#include "dialects/CHLO/Broadcast.h.inc"
#define GET_OP_CLASSES
#include "dialects/CHLO/Composed.h.inc"
#define GET_OP_CLASSES
#include "dialects/CHLO/Creation.h.inc"
#define GET_OP_CLASSES
#include "dialects/CHLO/Ordering.h.inc"
#define GET_OP_CLASSES
#include "dialects/CHLO/Unary.h.inc"

#endif // SYSTOLE_DIALECTS_CHLO_CHLO_H
