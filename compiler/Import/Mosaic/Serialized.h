// Mosaic's serialized form in MLIR's bytecode.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_MOSAIC_SERIALIZED_H
#define SYSTOLE_COMPILER_IMPORT_MOSAIC_SERIALIZED_H

#include "compiler/Import/Artifact/Format.h"

namespace systole {

/// Operations have the prefix `stable_mosaic.` and only plain attributes, and the module has the
/// version of their forms. Attributes and types of dialects are stored as text.
class SerializedMosaic : public artifact::Format {
public:
  llvm::StringRef name() const override { return "Mosaic modules"; }
  llvm::LogicalResult checkProducer(const artifact::Bytes &, llvm::StringRef) override {
    return llvm::success();
  }
  llvm::LogicalResult parse(const artifact::Bytes &start, llvm::StringRef text,
                            mlir::MLIRContext &context, mlir::Attribute &attribute) override;
  llvm::LogicalResult parse(const artifact::Bytes &start, llvm::StringRef text,
                            mlir::MLIRContext &context, mlir::Type &type) override;
  llvm::LogicalResult decode(artifact::EntryReader &reader, llvm::StringRef dialect,
                             mlir::Attribute &attribute) override;
  llvm::LogicalResult decode(artifact::EntryReader &reader, llvm::StringRef dialect,
                             mlir::Type &type) override;
  llvm::LogicalResult decodeBuiltin(artifact::EntryReader &reader, uint64_t code,
                                    mlir::Type &type) override;
  mlir::DenseElementsAttr elementsFrom(mlir::Type type, llvm::ArrayRef<char> bytes) override;
  llvm::FailureOr<mlir::OperationName> operationName(llvm::StringRef dialect, llvm::StringRef name,
                                                     mlir::Location location) override;
  llvm::FailureOr<mlir::Operation *> create(mlir::OperationState &state) override;
  llvm::LogicalResult check(mlir::ModuleOp module) override;

private:
  llvm::LogicalResult readVersion(mlir::OperationState &module);

  int64_t version = 0; ///< of the module, once that has been read
};

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_MOSAIC_SERIALIZED_H
