// Operands of products that arrive in pieces.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_PIECES_H
#define SYSTOLE_COMPILER_MODEL_PIECES_H

#include "compiler/Model/MxuShape.h"

namespace systole {

/// In how many pieces of equally many rows a left operand of a product arrives that all steps of a
/// kernel read: the first step multiplies those that are there while others are under way. `cycles`
/// is the MXUs' work of a step. 1 if that does not pay for code of its own, or if the MXUs would
/// wait for weights.
int64_t piecesOf(int64_t rows, int64_t bytes, double cycles, const MxuShape &mxu);

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_PIECES_H
