// Reads portable artifacts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_READARTIFACT_H
#define SYSTOLE_COMPILER_IMPORT_READARTIFACT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace systole {

/// Whether bytes are MLIR bytecode, or a prefix of it.
bool isBytecode(llvm::StringRef bytes);

/// The module of a portable artifact, in `vhlo` and, if it is sharded, `sdy`. The bytes are
/// untrusted: malformed input gives null and one diagnostic with `fileName` and the offset, in time
/// and memory linear in the number of bytes.
mlir::OwningOpRef<mlir::ModuleOp> readArtifact(llvm::StringRef bytes, llvm::StringRef fileName,
                                               mlir::MLIRContext &context);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_READARTIFACT_H
