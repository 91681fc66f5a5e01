// Batch normalization as reductions and arithmetic.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_EXPAND_BATCHNORM_H
#define SYSTOLE_COMPILER_LEGALIZE_EXPAND_BATCHNORM_H

#include "compiler/Tensor/Tensors.h"

namespace systole::expansion {

/// The elements that the statistics of features are of: those of a mask, of which there are `count`
/// for each feature, an i32 scalar. Null for all of them.
struct Counted {
  mlir::Value mask, count;
};

/// The replacement of the results of a batch normalization, with `operands` instead of its own.
llvm::SmallVector<mlir::Value> expandBatchNorm(mlir::Operation *op, mlir::ValueRange operands,
                                               const Counted &counted = {});

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_LEGALIZE_EXPAND_BATCHNORM_H
