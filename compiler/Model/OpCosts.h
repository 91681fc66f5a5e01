// The vector instructions of one element-wise operation: how codegen expands it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_OPCOSTS_H
#define SYSTOLE_COMPILER_MODEL_OPCOSTS_H

#include "compiler/Model/MachineModel.h"

#include "mlir/IR/Operation.h"

namespace systole {

/// Instructions per vector register, and those of them that depend on each other.
struct OpCost {
  Arithmetic all, chain;
  /// Instructions of a loop inside of the operation, and its iterations, which depend on each
  /// other; a stage around a loop is no software pipeline.
  Arithmetic loop, loopChain;
  int trips = 0;
};

/// The cost of an operation on elements: of StableHLO, or `kernel.mul_high`. Its operands and
/// results may have any shape. An operation without instructions costs nothing; so does what has no
/// expansion. Of `kernel.elementwise` it is the sum of its body, without a chain.
OpCost opCost(mlir::Operation *op);

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_OPCOSTS_H
