// Shared code of the fuzzers of source programs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_FUZZ_MODULE_H
#define SYSTOLE_TEST_FUZZ_MODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace systole::fuzz {

using Reader = mlir::OwningOpRef<mlir::ModuleOp> (*)(llvm::StringRef, llvm::StringRef,
                                                     mlir::MLIRContext &);

/// Reads a program and takes it through all of compiler/Import. Ends the process if a rejected
/// program has no diagnostic, or an accepted one has any.
void importModule(llvm::StringRef bytes, Reader read);

} // namespace systole::fuzz

#endif // SYSTOLE_TEST_FUZZ_MODULE_H
