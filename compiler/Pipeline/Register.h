// Registers the dialects and passes of the compiler.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_COMPILER_PIPELINE_REGISTER_H
#define SYSTOLE_COMPILER_PIPELINE_REGISTER_H

#include "mlir/IR/DialectRegistry.h"

namespace systole {

/// Registers the dialects of all levels: StableHLO and the dialects used with it, Systole's own
/// ones below it, and upstream ones.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes and pipelines of all levels with the global registry, which systole-opt
/// uses. Call it once per process.
void registerAllPasses();

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_REGISTER_H
