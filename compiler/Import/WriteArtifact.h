// Writes portable artifacts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_WRITEARTIFACT_H
#define SYSTOLE_COMPILER_IMPORT_WRITEARTIFACT_H

#include "mlir/IR/BuiltinOps.h"

namespace systole {

/// Writes a module of StableHLO or VHLO as a portable artifact that readers of `version`
/// (MAJOR.MINOR or MAJOR.MINOR.PATCH) and later accept; the module is converted in place. If the
/// version cannot represent it, emits a diagnostic and writes nothing.
llvm::LogicalResult writeArtifact(mlir::ModuleOp module, llvm::StringRef version,
                                  llvm::raw_ostream &out);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_WRITEARTIFACT_H
