// The operations of a file.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_ARTIFACT_OPERATIONS_H
#define SYSTOLE_COMPILER_IMPORT_ARTIFACT_OPERATIONS_H

#include "compiler/Import/Artifact/Attributes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace systole::artifact {

/// Builds the one module that `table`'s file holds. Artifacts have no control-flow graphs, so a
/// region has at most one block and values are used after they are defined. Null after a
/// refusal or, where an operation is not known, a diagnostic with its place.
mlir::OwningOpRef<mlir::ModuleOp> readOperations(AttributeTable &table);

} // namespace systole::artifact

#endif // SYSTOLE_COMPILER_IMPORT_ARTIFACT_OPERATIONS_H
