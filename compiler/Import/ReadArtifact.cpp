// Reads portable artifacts.
// See docs/decisions/importers.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/ReadArtifact.h"

#include "compiler/Import/Artifact/Attributes.h"
#include "dialects/Coded/Coded.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/VHLO/VHLO.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace systole {

using namespace artifact;

namespace {

Attribute decodeCoded(const BytecodeDialectInterface &dialect, EntryReader &reader, Attribute) {
  return dialect.readAttribute(reader);
}
Type decodeCoded(const BytecodeDialectInterface &dialect, EntryReader &reader, Type) {
  return dialect.readType(reader);
}

/// Tokens in the types of Shardy's operations, which have no form of VHLO. The only code of
/// StableHLO's types is theirs.
LogicalResult decodeStableHLO(EntryReader &reader, Type &type) {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return failure();
  if (code != 0)
    return reader.bytes.refuse("StableHLO's type " + Twine(code) + " is not known");
  reader.getContext()->getOrLoadDialect<stablehlo::StableHLODialect>();
  type = stablehlo::TokenType::get(reader.getContext());
  return success();
}
LogicalResult decodeStableHLO(EntryReader &reader, Attribute) {
  return reader.bytes.refuse("an attribute of StableHLO, which portable artifacts do not contain");
}

template <typename T> LogicalResult decodeEntry(EntryReader &reader, StringRef dialect, T &value) {
  if (dialect == "stablehlo")
    return decodeStableHLO(reader, value);
  Dialect *loaded = reader.getContext()->getOrLoadDialect(dialect);
  auto *interface = loaded ? loaded->getRegisteredInterface<BytecodeDialectInterface>() : nullptr;
  if (!interface)
    return reader.bytes.refuse("an attribute or type of '" + dialect +
                               "', which portable artifacts do not contain");
  value = decodeCoded(*interface, reader, value);
  return value ? success()
               : reader.bytes.refuse("an attribute or type of '" + dialect + "' is not understood");
}

class PortableArtifacts : public Format {
public:
  StringRef name() const override { return "portable artifacts"; }

  LogicalResult checkProducer(const Bytes &start, StringRef producer) override {
    StringRef version = producer;
    if (!version.consume_front(kProducer))
      return start.refuse("it was written by '" + producer +
                          "'; portable artifacts are read, which have StableHLO's version there");
    std::optional<coded::Version> parsed = vhlo::parseVersion(version);
    if (!parsed || version.empty())
      return start.refuse("'" + producer + "' does not end in a version");
    if (!vhlo::isKnown(*parsed))
      return start.refuse("it is of StableHLO " + version + "; versions " + vhlo::knownVersions() +
                          " are read");
    return success();
  }

  /// Only the names of types for which MLIR has no code, such as f8E4M3FN, are stored as text.
  LogicalResult parse(const Bytes &start, StringRef text, MLIRContext &context,
                      Type &type) override {
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
    if (!text.empty() && llvm::all_of(text, llvm::isAlnum))
      type = parseType(text, &context, /*numRead=*/nullptr, /*isKnownNullTerminated=*/true);
    return type ? success() : start.refuse("the name of a type is expected");
  }
  LogicalResult parse(const Bytes &start, StringRef, MLIRContext &, Attribute &) override {
    return start.refuse("an attribute as text, which portable artifacts do not contain");
  }

  LogicalResult decode(EntryReader &reader, StringRef dialect, Attribute &attribute) override {
    return decodeEntry(reader, dialect, attribute);
  }
  LogicalResult decode(EntryReader &reader, StringRef dialect, Type &type) override {
    return decodeEntry(reader, dialect, type);
  }

  FailureOr<OperationName> operationName(StringRef dialect, StringRef suffix,
                                         Location location) override {
    MLIRContext *context = location.getContext();
    std::string name = (dialect + "." + suffix).str();
    if (dialect == "builtin" &&
        llvm::is_contained({"module", "unrealized_conversion_cast"}, suffix))
      return OperationName(name, context);
    Dialect *loaded = context->getOrLoadDialect(dialect);
    if (loaded && coded::codedDialect(*loaded)) {
      OperationName known(name, context);
      if (known.isRegistered())
        return known;
    }
    return mlir::emitError(location)
           << "operation '" << name << "' is not known in portable artifacts";
  }
};

} // namespace

bool isBytecode(StringRef bytes) { return bytes.starts_with(kMagic); }

OwningOpRef<ModuleOp> readArtifact(StringRef bytes, StringRef fileName, MLIRContext &context) {
  PortableArtifacts format;
  // Line 0 stands for the whole file.
  return readModule(bytes, format, FileLineColLoc::get(&context, fileName, 0, 0));
}

} // namespace systole
