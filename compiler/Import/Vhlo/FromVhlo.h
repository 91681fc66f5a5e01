// Converts VHLO attributes and types to StableHLO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_VHLO_FROMVHLO_H
#define SYSTOLE_COMPILER_IMPORT_VHLO_FROMVHLO_H

#include "dialects/VHLO/VHLO.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace systole {

/// Converts and caches attributes and types. Those of other dialects are unchanged; null if
/// StableHLO cannot represent one here.
class FromVhlo {
public:
  explicit FromVhlo(mlir::MLIRContext *context);

  mlir::Type type(mlir::Type vhlo);
  mlir::Attribute attribute(mlir::Attribute vhlo);
  /// Converts an operation's attribute of the given form.
  mlir::Attribute attribute(mlir::Attribute vhlo, coded::Form form);

private:
  mlir::Type translate(const coded::Node &node);
  mlir::Attribute translateAttribute(const coded::Node &node);
  mlir::Attribute translateEnum(const coded::Node &node);
  mlir::Attribute translateTensor(const coded::Node &node);
  mlir::Attribute translateDictionary(const coded::Node &node);
  mlir::Attribute translateMesh(const coded::Node &node);
  bool types(llvm::ArrayRef<mlir::Type> vhlo, llvm::SmallVectorImpl<mlir::Type> &result);

  mlir::MLIRContext *context;
  const vhlo::VhloDialect *dialect;
  llvm::DenseMap<mlir::Type, mlir::Type> knownTypes;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> knownAttributes;
};

/// Whether a converted attribute equals the default for `absent`.
bool saysNothing(mlir::Attribute attribute, coded::Absent absent);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_VHLO_FROMVHLO_H
