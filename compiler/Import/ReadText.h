// Parses StableHLO text into a module.
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
/// The same of what passes on tensors leave: there may be operations of `kernel`.
mlir::OwningOpRef<mlir::ModuleOp> readTensorLevel(llvm::StringRef text, llvm::StringRef fileName,
                                                  mlir::MLIRContext &context);

/// Rejects aliases beyond the limits of SourceText.h, with an error at the first one.
mlir::LogicalResult checkAliases(llvm::StringRef text, llvm::StringRef fileName,
                                 mlir::MLIRContext &context);

/// `text` with hexadecimal i1 constants in the form that this version of MLIR reads.
///
/// Newer producers write one byte per element; older ones, and this version of MLIR, pack eight
/// elements into a byte, the first one in the lowest bit. A constant whose length shows that it is
/// unpacked is packed; all other text is unchanged.
std::string packHexPredicates(llvm::StringRef text);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_READTEXT_H
