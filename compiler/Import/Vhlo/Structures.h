// StableHLO attributes that portable artifacts split into several: dimension numbers, and dot
// algorithms.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_VHLO_STRUCTURES_H
#define SYSTOLE_COMPILER_IMPORT_VHLO_STRUCTURES_H

#include "dialects/Coded/Coded.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace systole {

/// Fields by name: an IntegerAttr or DenseI64ArrayAttr in form Part, any attribute in form
/// Algorithm.
using Parts = llvm::StringMap<mlir::Attribute>;

/// The name of the StableHLO attribute of a structure.
llvm::StringRef nameOf(coded::Structure structure);
constexpr llvm::StringLiteral kAlgorithm = "algorithm";
/// The StableHLO name of an attribute that is not part of a structure.
llvm::StringRef nameOf(const coded::OpField &field);

/// Builds the attribute from its fields; null if one is missing or of the wrong kind. Lists that
/// older versions do not have are empty.
mlir::Attribute makeStructure(coded::Structure structure, const Parts &parts,
                              mlir::MLIRContext *context);
mlir::Attribute makeAlgorithm(const Parts &parts, mlir::MLIRContext *context);

/// The fields of an attribute.
Parts partsOf(mlir::Attribute structure);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_VHLO_STRUCTURES_H
