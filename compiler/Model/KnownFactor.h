// Powers of two that divide a scalar.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_KNOWNFACTOR_H
#define SYSTOLE_COMPILER_MODEL_KNOWNFACTOR_H

#include "mlir/IR/Value.h"

namespace systole {

/// A power of two, 2^30 at most, that divides a scalar of the `arith` or `core` dialect, or an
/// induction variable of `scf`.
int64_t knownFactor(mlir::Value value);

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_KNOWNFACTOR_H
