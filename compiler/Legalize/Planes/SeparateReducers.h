// Reducers of several tensors that do not depend on each other.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_PLANES_SEPARATEREDUCERS_H
#define SYSTOLE_COMPILER_LEGALIZE_PLANES_SEPARATEREDUCERS_H

#include "mlir/IR/Operation.h"

namespace systole::planes {

/// Makes one operation for each independent set of results of reductions, windowed reductions and
/// scatters of several tensors: sums of planes are sums again.
void separateReducers(mlir::Operation *root);

} // namespace systole::planes

#endif // SYSTOLE_COMPILER_LEGALIZE_PLANES_SEPARATEREDUCERS_H
