// Products and convolutions of all kinds as one operation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_RELATIONS_CONTRACTION_H
#define SYSTOLE_COMPILER_RELATIONS_CONTRACTION_H

#include "compiler/Relations/OperandRelation.h"

namespace systole {

/// A sum of products of elements of two operands. Each iterator of its relation is in one of the
/// lists. The output features of a convolution with groups are in `batch`: the group, a quotient
/// of them, selects part of the image.
struct Contraction {
  OperandRelation relation;
  llvm::SmallVector<unsigned, 4> batch;      ///< of the result that both operands depend on
  llvm::SmallVector<unsigned, 4> lhsFree;    ///< of the result that only the left one depends on
  llvm::SmallVector<unsigned, 4> rhsFree;    ///< of the result that only the right one depends on
  llvm::SmallVector<unsigned, 4> contracted; ///< summed
  llvm::SmallVector<unsigned, 4> taps;       ///< summed over a window of the left operand
};

/// `op` as a contraction: a dot_general or a convolution, in any form.
std::optional<Contraction> contractionOf(mlir::Operation *op);

} // namespace systole

#endif // SYSTOLE_COMPILER_RELATIONS_CONTRACTION_H
