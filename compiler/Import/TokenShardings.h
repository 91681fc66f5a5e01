// Shardings of tokens in programs for several devices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_TOKENSHARDINGS_H
#define SYSTOLE_COMPILER_IMPORT_TOKENSHARDINGS_H

#include "mlir/IR/Operation.h"

namespace systole {

/// Gives the shardings of an operation's tokens, which have no dimension, one that is not divided:
/// those of the tensors that replace them.
void addDimensionsToTokens(mlir::Operation *op);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_TOKENSHARDINGS_H
