// The attributes and types of a bytecode file, decoded on demand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_ARTIFACT_ATTRIBUTES_H
#define SYSTOLE_COMPILER_IMPORT_ARTIFACT_ATTRIBUTES_H

#include "compiler/Import/Artifact/Container.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"

namespace systole::artifact {

/// Attributes refer to others by number, so a malformed file may contain cycles, deep nesting, or
/// an exponential expansion: all three are rejected.
class AttributeTable {
public:
  AttributeTable(const Container &container, mlir::MLIRContext &context);

  llvm::LogicalResult readAttribute(Bytes &bytes, mlir::Attribute &attribute);
  llvm::LogicalResult readType(Bytes &bytes, mlir::Type &type);
  llvm::LogicalResult typeAt(const Bytes &start, uint64_t index, mlir::Type &type);
  /// The attribute of the number that precedes the flag, if the flag is set.
  llvm::LogicalResult readOptionalAttribute(Bytes &bytes, mlir::Attribute &attribute);
  /// An attribute of class T; `what` names the expected kind in diagnostics.
  template <typename T>
  llvm::LogicalResult readAs(Bytes &bytes, T &attribute, llvm::StringRef what) {
    Bytes start = bytes;
    mlir::Attribute any;
    if (failed(readAttribute(bytes, any)))
      return llvm::failure();
    attribute = mlir::dyn_cast<T>(any);
    return attribute ? llvm::success() : start.refuse(what + " is expected");
  }

  const Container &container;
  mlir::MLIRContext &context;

private:
  template <typename T> struct Slot {
    T value;
    uint64_t weight = 0; ///< attributes and types in it, counted with repetition
    bool isOpen = false; ///< it is being decoded
  };
  template <typename T>
  llvm::LogicalResult resolve(const Bytes &start, std::vector<Slot<T>> &slots,
                              const std::vector<Entry> &entries, uint64_t index, T &value);
  template <typename T> llvm::LogicalResult decode(const Entry &entry, T &value);

  std::vector<Slot<mlir::Attribute>> attributes;
  std::vector<Slot<mlir::Type>> types;
  unsigned depth = 0;
  uint64_t weight = 0, total = 0;
};

/// The bytes of an entry, as the bytecode interfaces of dialects read them.
class EntryReader : public mlir::DialectBytecodeReader {
public:
  EntryReader(AttributeTable &table, Bytes bytes) : table(table), bytes(bytes) {}

  mlir::InFlightDiagnostic emitError(const llvm::Twine &message) const override;
  llvm::FailureOr<const mlir::DialectVersion *> getDialectVersion(llvm::StringRef) const override {
    return llvm::failure();
  }
  mlir::MLIRContext *getContext() const override { return &table.context; }
  uint64_t getBytecodeVersion() const override { return table.container.encoding; }

  using DialectBytecodeReader::readAttribute;
  using DialectBytecodeReader::readOptionalAttribute;
  using DialectBytecodeReader::readType;
  llvm::LogicalResult readAttribute(mlir::Attribute &result) override {
    return table.readAttribute(bytes, result);
  }
  llvm::LogicalResult readOptionalAttribute(mlir::Attribute &result) override {
    return table.readOptionalAttribute(bytes, result);
  }
  llvm::LogicalResult readType(mlir::Type &result) override {
    return table.readType(bytes, result);
  }
  llvm::LogicalResult readVarInt(uint64_t &result) override { return bytes.readVarInt(result); }
  llvm::LogicalResult readSignedVarInt(int64_t &result) override {
    return bytes.readSignedVarInt(result);
  }
  llvm::FailureOr<llvm::APInt> readAPIntWithKnownWidth(unsigned width) override;
  llvm::FailureOr<llvm::APFloat>
  readAPFloatWithKnownSemantics(const llvm::fltSemantics &semantics) override;
  llvm::LogicalResult readString(llvm::StringRef &result) override;
  llvm::LogicalResult readBlob(llvm::ArrayRef<char> &result) override;
  llvm::LogicalResult readBool(bool &result) override;

  AttributeTable &table;
  Bytes bytes;

private:
  llvm::FailureOr<mlir::AsmDialectResourceHandle> readResourceHandle() override;
};

/// Decodes builtin attributes and types of MLIR that portable artifacts contain.
llvm::LogicalResult decodeBuiltin(EntryReader &reader, mlir::Attribute &attribute);
llvm::LogicalResult decodeBuiltin(EntryReader &reader, mlir::Type &type);

} // namespace systole::artifact

#endif // SYSTOLE_COMPILER_IMPORT_ARTIFACT_ATTRIBUTES_H
