// Attributes of StableHLO that portable artifacts hold as several: numbers of dimensions, and the
// arithmetic of contractions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_VHLO_STRUCTURES_H
#define SYSTOLE_COMPILER_IMPORT_VHLO_STRUCTURES_H

#include "dialects/Coded/Coded.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace systole {

/// Parts by their names: of form Part a number (IntegerAttr) or numbers (DenseI64ArrayAttr), of
/// form Algorithm whatever they are.
using Parts = llvm::StringMap<mlir::Attribute>;

/// The name that the attribute of a structure has.
llvm::StringRef nameOf(coded::Structure structure);
constexpr llvm::StringLiteral kAlgorithm = "algorithm";
/// The name of an operation's attribute that is no part of a structure.
llvm::StringRef nameOf(const coded::OpField &field);

/// The attribute that parts make; null if one is missing or is something else. Lists that older
/// versions do not have are empty.
mlir::Attribute makeStructure(coded::Structure structure, const Parts &parts,
                              mlir::MLIRContext *context);
mlir::Attribute makeAlgorithm(const Parts &parts, mlir::MLIRContext *context);

/// The parts of an attribute.
Parts partsOf(mlir::Attribute structure);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_VHLO_STRUCTURES_H
