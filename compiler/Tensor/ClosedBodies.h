// Regions of operations that use no value from outside.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_CLOSEDBODIES_H
#define SYSTOLE_COMPILER_TENSOR_CLOSEDBODIES_H

#include "mlir/IR/Region.h"
#include "llvm/Support/LogicalResult.h"

namespace systole {

/// Copies the constants that `body` uses into it; other values from outside are an error.
llvm::LogicalResult closeBody(mlir::Region &body);

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_CLOSEDBODIES_H
