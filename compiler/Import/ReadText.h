// Reads a producer's text into a module.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_READTEXT_H
#define SYSTOLE_COMPILER_IMPORT_READTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace systole {

/// Parses `text`; `fileName` appears in locations. Null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> readText(llvm::StringRef text, llvm::StringRef fileName,
                                           mlir::MLIRContext &context);

/// Refuses aliases beyond the limits of SourceText.h, with an error at the first.
mlir::LogicalResult checkAliases(llvm::StringRef text, llvm::StringRef fileName,
                                 mlir::MLIRContext &context);

/// `text` with hexadecimal i1 constants in the form that our MLIR reads.
///
/// Newer producers write one byte an element, older ones (and our MLIR) eight
/// elements a byte, the first in the lowest bit. A constant whose length says that
/// it is of the first kind is packed; everything else stays as it is.
std::string packHexPredicates(llvm::StringRef text);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_READTEXT_H
