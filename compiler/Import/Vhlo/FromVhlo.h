// What attributes and types of portable artifacts are in StableHLO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_VHLO_FROMVHLO_H
#define SYSTOLE_COMPILER_IMPORT_VHLO_FROMVHLO_H

#include "dialects/VHLO/VHLO.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace systole {

/// Translates, and remembers what it has translated. What is of other dialects stays as it is;
/// null is what StableHLO has no word for here.
class FromVhlo {
public:
  explicit FromVhlo(mlir::MLIRContext *context);

  mlir::Type type(mlir::Type vhlo);
  mlir::Attribute attribute(mlir::Attribute vhlo);
  /// An attribute of an operation in its form there.
  mlir::Attribute attribute(mlir::Attribute vhlo, coded::Form form);

private:
  mlir::Type translate(const coded::Node &node);
  mlir::Attribute translateAttribute(const coded::Node &node);
  mlir::Attribute translateEnum(const coded::Node &node);
  mlir::Attribute translateTensor(const coded::Node &node);
  mlir::Attribute translateDictionary(const coded::Node &node);
  bool types(llvm::ArrayRef<mlir::Type> vhlo, llvm::SmallVectorImpl<mlir::Type> &result);

  mlir::MLIRContext *context;
  const vhlo::VhloDialect *dialect;
  llvm::DenseMap<mlir::Type, mlir::Type> knownTypes;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> knownAttributes;
};

/// Whether a translated attribute says no more than `absent` does.
bool saysNothing(mlir::Attribute attribute, coded::Absent absent);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_VHLO_FROMVHLO_H
