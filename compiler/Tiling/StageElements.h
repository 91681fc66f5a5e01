// Small pieces of stages: maps over single elements, constants.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_STAGEELEMENTS_H
#define SYSTOLE_COMPILER_TILING_STAGEELEMENTS_H

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// A map over the elements of `output`, which `compute` makes from those of `inputs`,
/// read at the same index.
void emitElements(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange inputs,
                  mlir::Value output, llvm::function_ref<mlir::Value(mlir::ValueRange)> compute);

/// An element of a stage's body: a rank-0 tensor.
mlir::Value constantElement(mlir::OpBuilder &b, mlir::Location loc, mlir::TypedAttr value);
mlir::Value zeroElement(mlir::OpBuilder &b, mlir::Location loc, mlir::Type element);
mlir::Value compareElements(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y,
                            stablehlo::ComparisonDirection direction);

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_STAGEELEMENTS_H
