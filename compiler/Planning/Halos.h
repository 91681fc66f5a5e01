// What kernels do with buffers that have more elements than a block: halos of windows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_HALOS_H
#define SYSTOLE_COMPILER_PLANNING_HALOS_H

#include "compiler/Planning/Blocking.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace systole {

/// Whether the stages of an operation read an operand wherever it begins in a buffer. Others take
/// a buffer as a whole.
bool readsInPlace(mlir::OpOperand &operand);

/// Whether an operation gets a copy of what it reads of a buffer that has more.
bool readsPart(mlir::OpOperand &operand, const Blocking &blocking);

/// The cuts along which some step's buffer of `value` reaches beyond the ends of the tensor.
llvm::SmallVector<const Cut *> cutsBeyondEnds(mlir::Value value, const Blocking &blocking);

/// The element that all who ask for one see beyond the ends of `value`, a scalar: the zero of a
/// convolution, the padding of a `pad`. The stage that computes `value` puts it there. Null if
/// nobody asks, not all ask for the same, or no stage of its own computes the value.
mlir::DenseElementsAttr edgeOf(mlir::Value value, const Blocking &blocking);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_HALOS_H
