// The operations of a bytecode file.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_ARTIFACT_OPERATIONS_H
#define SYSTOLE_COMPILER_IMPORT_ARTIFACT_OPERATIONS_H

#include "compiler/Import/Artifact/Attributes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace systole::artifact {

/// Builds the single module in `table`'s file. No format has control-flow graphs, so a region has
/// at most one block and values are used after their definition. Null after a rejection or, for an
/// unknown operation, after a diagnostic with its location.
mlir::OwningOpRef<mlir::ModuleOp> readOperations(AttributeTable &table);

} // namespace systole::artifact

#endif // SYSTOLE_COMPILER_IMPORT_ARTIFACT_OPERATIONS_H
