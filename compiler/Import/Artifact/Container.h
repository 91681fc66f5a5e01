// The sections of a bytecode file, located and validated before they are used.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_ARTIFACT_CONTAINER_H
#define SYSTOLE_COMPILER_IMPORT_ARTIFACT_CONTAINER_H

#include "compiler/Import/Artifact/Format.h"

#include <vector>

namespace systole::artifact {

/// The magic number of bytecode files.
constexpr llvm::StringLiteral kMagic = "ML\xefR";
/// The prefix of a portable artifact's producer string, followed by a version.
constexpr llvm::StringLiteral kProducer = "StableHLO_v";
/// Versions of MLIR's bytecode encoding in artifacts, each named by the feature that it introduced.
/// No artifact has version 5.
enum Encoding : uint64_t {
  kVersionedDialects = 1,
  kSectionsOfRegions = 2,
  kUseOrders = 3,
  kPlainArguments = 4,
  kProperties = 5,
  kNewestEncoding = 6, ///< of StableHLO 0.15 and later
};

enum class Section : uint8_t {
  Strings,
  Dialects,
  Entries,
  EntrySizes,
  Operations,
  Resources,
  ResourceSizes,
  DialectVersion,
  Properties,
  Count_,
};

/// An attribute or a type, still encoded.
struct Entry {
  uint64_t dialect = 0;
  bool isText = false; ///< in MLIR's textual form
  Bytes bytes;
};

struct OperationEntry {
  uint64_t dialect = 0;
  llvm::StringRef name; ///< without the dialect's
  bool hasEncodedProperties = false;
};

/// The contents of a file. All indices in these tables are validated; the contents of entries,
/// operations and properties are not.
struct Container {
  Format *format = nullptr;
  uint64_t encoding = kNewestEncoding;
  llvm::StringRef producer;
  std::vector<llvm::StringRef> strings;
  std::vector<llvm::StringRef> dialects;
  std::vector<OperationEntry> operationNames;
  std::vector<Entry> attributes, types;
  std::vector<Bytes> properties;
  std::optional<Bytes> operations;

  llvm::LogicalResult read(Bytes file, Format &kind);
};

/// The next section of `bytes`.
llvm::LogicalResult readSection(Bytes &bytes, Section &section, Bytes &content);

} // namespace systole::artifact

#endif // SYSTOLE_COMPILER_IMPORT_ARTIFACT_CONTAINER_H
