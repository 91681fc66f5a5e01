// The operations of a reducer's body.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_STABLEHLO_REDUCERS_H
#define SYSTOLE_DIALECTS_STABLEHLO_REDUCERS_H

#include "mlir/IR/Block.h"

namespace systole {

/// The single operation that a reducer of two arguments applies to both; null if it does more.
mlir::Operation *combinerOf(mlir::Block &body);

/// The operations that a reducer applies to the elements of each input alone, one for each; none if
/// it does anything else.
llvm::SmallVector<mlir::Operation *, 2> combinersOf(mlir::Block &body);

} // namespace systole

#endif // SYSTOLE_DIALECTS_STABLEHLO_REDUCERS_H
