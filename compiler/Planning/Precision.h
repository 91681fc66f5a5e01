// The passes of bf16 that a product of f32 asks for.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_PRECISION_H
#define SYSTOLE_COMPILER_PLANNING_PRECISION_H

#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// 1, 3 or 6; 0 for the default.
int passesOf(stablehlo::DotGeneralOp op);
int passesOf(stablehlo::ConvolutionOp op);

/// Whether the MXUs take the operands of a product as they are, or rounded to bf16, where those of
/// f32 have `passes` passes.
bool isOnePass(mlir::Operation *op, int passes);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_PRECISION_H
