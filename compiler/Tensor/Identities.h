// Identity elements of reducers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_IDENTITIES_H
#define SYSTOLE_COMPILER_TENSOR_IDENTITIES_H

#include "dialects/StableHLO/Reducers.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace systole {

/// The identity element of an operation; null if unknown, as of complex numbers.
mlir::DenseElementsAttr identityOf(mlir::Operation *combiner);

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_IDENTITIES_H
