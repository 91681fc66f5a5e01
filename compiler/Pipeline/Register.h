// What every tool of the compiler registers: its dialects and passes.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_COMPILER_PIPELINE_REGISTER_H
#define SYSTOLE_COMPILER_PIPELINE_REGISTER_H

#include "mlir/IR/DialectRegistry.h"

namespace systole {

/// Registers the dialects of all levels: StableHLO and those it comes with, our
/// own below it, and the upstream ones they are mixed with.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes and pipelines of all levels with the global registry,
/// from which `systole-opt` builds its options. Call it once a process.
void registerAllPasses();

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_REGISTER_H
