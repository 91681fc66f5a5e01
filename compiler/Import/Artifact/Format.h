// What may be in a bytecode file, besides builtin attributes and types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_ARTIFACT_FORMAT_H
#define SYSTOLE_COMPILER_IMPORT_ARTIFACT_FORMAT_H

#include "compiler/Import/Artifact/Bytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/OwningOpRef.h"

namespace systole::artifact {

class EntryReader;

/// One kind of file. Each function refuses with a reason at the bytes that it gets, or with a
/// diagnostic at the location that it gets.
class Format {
public:
  virtual ~Format() = default;

  /// The files' name in errors, in the plural.
  virtual llvm::StringRef name() const = 0;
  virtual llvm::LogicalResult checkProducer(const Bytes &start, llvm::StringRef producer) = 0;

  /// An attribute or a type that is stored as text.
  virtual llvm::LogicalResult parse(const Bytes &start, llvm::StringRef text,
                                    mlir::MLIRContext &context, mlir::Attribute &attribute) = 0;
  virtual llvm::LogicalResult parse(const Bytes &start, llvm::StringRef text,
                                    mlir::MLIRContext &context, mlir::Type &type) = 0;

  /// One that is encoded by another dialect than `builtin`.
  virtual llvm::LogicalResult decode(EntryReader &reader, llvm::StringRef dialect,
                                     mlir::Attribute &attribute) = 0;
  virtual llvm::LogicalResult decode(EntryReader &reader, llvm::StringRef dialect,
                                     mlir::Type &type) = 0;

  /// A builtin type of code `code` that portable artifacts do not have.
  virtual llvm::LogicalResult decodeBuiltin(EntryReader &reader, uint64_t code, mlir::Type &type);

  /// The constant of a type with the elements `bytes`; null if they do not fit the type.
  virtual mlir::DenseElementsAttr elementsFrom(mlir::Type type, llvm::ArrayRef<char> bytes);

  /// The name of an operation, after a diagnostic if there may be none of it.
  virtual llvm::FailureOr<mlir::OperationName>
  operationName(llvm::StringRef dialect, llvm::StringRef name, mlir::Location location) = 0;
  /// Creates an operation, of which everything but the contents of regions has been read.
  virtual llvm::FailureOr<mlir::Operation *> create(mlir::OperationState &state);

  /// Checks a module whose operations have passed their verifiers.
  virtual llvm::LogicalResult check(mlir::ModuleOp module) { return llvm::success(); }
};

/// The module of a file. Malformed input gives null and one diagnostic, at a location of the file's
/// operations or else at `file`, in time and memory linear in the number of bytes.
mlir::OwningOpRef<mlir::ModuleOp> readModule(llvm::StringRef bytes, Format &format,
                                             mlir::Location file);

} // namespace systole::artifact

#endif // SYSTOLE_COMPILER_IMPORT_ARTIFACT_FORMAT_H
