// Reads portable artifacts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_READARTIFACT_H
#define SYSTOLE_COMPILER_IMPORT_READARTIFACT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace systole {

/// Whether bytes are MLIR's bytecode, or the beginning of such a file.
bool isBytecode(llvm::StringRef bytes);

/// The module that a portable artifact holds, in `vhlo` and, where it is sharded, `sdy`. Bytes
/// are believed nothing: what is wrong with them is one diagnostic that names `fileName` and the
/// place, takes memory and time in proportion to their number, and gives null.
mlir::OwningOpRef<mlir::ModuleOp> readArtifact(llvm::StringRef bytes, llvm::StringRef fileName,
                                               mlir::MLIRContext &context);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_READARTIFACT_H
