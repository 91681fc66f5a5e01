// Converts StableHLO attributes and types to VHLO.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_VHLO_TOVHLO_H
#define SYSTOLE_COMPILER_IMPORT_VHLO_TOVHLO_H

#include "dialects/VHLO/VHLO.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace systole {

/// Converts and caches attributes and types. Null if the version cannot represent
/// one.
class ToVhlo {
public:
  ToVhlo(mlir::MLIRContext *context, coded::Version version);

  mlir::Type type(mlir::Type mlir);
  mlir::Attribute attribute(mlir::Attribute mlir);
  /// The API version of a custom call.
  mlir::Attribute apiVersion(mlir::Attribute mlir);

private:
  mlir::Type translate(mlir::Type mlir);
  mlir::Type translate(mlir::quant::QuantizedType mlir);
  mlir::Attribute translate(mlir::Attribute mlir);
  mlir::Attribute translateNumbers(mlir::Attribute mlir);
  mlir::Attribute translateEnum(mlir::Attribute mlir);
  mlir::Attribute translateMesh(mlir::Attribute mlir);
  mlir::Attribute tensor(mlir::RankedTensorType type, llvm::StringRef bytes);
  bool types(llvm::ArrayRef<mlir::Type> mlir, coded::NodeBuilder &node);
  bool attributes(llvm::ArrayRef<mlir::Attribute> mlir, coded::NodeBuilder &node);
  mlir::Attribute makeAttribute(llvm::StringRef kind, coded::NodeBuilder &node);
  mlir::Attribute makeEnum(llvm::StringRef kind, llvm::StringRef name);
  mlir::Type makeType(llvm::StringRef kind, coded::NodeBuilder &node);

  mlir::MLIRContext *context;
  const vhlo::VhloDialect *dialect;
  coded::Version version;
  llvm::DenseMap<mlir::Type, mlir::Type> knownTypes;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> knownAttributes;
};

/// The default of an absent attribute; `rank` is the number of dimensions of the window. Null if
/// there is no default.
mlir::Attribute valueOf(coded::Absent absent, int64_t rank, mlir::MLIRContext *context);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_VHLO_TOVHLO_H
