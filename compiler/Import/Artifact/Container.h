// The parts of a bytecode file, found and measured before any of them is believed.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_ARTIFACT_CONTAINER_H
#define SYSTOLE_COMPILER_IMPORT_ARTIFACT_CONTAINER_H

#include "compiler/Import/Artifact/Bytes.h"

#include <vector>

namespace systole::artifact {

/// What all bytecode files start with.
constexpr llvm::StringLiteral kMagic = "ML\xefR";
/// What the name of a portable artifact's producer is, before its version.
constexpr llvm::StringLiteral kProducer = "StableHLO_v";
/// The versions of MLIR's encoding in artifacts, by what they were the first to have. Version 5 is
/// in none.
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

/// What a file consists of. Every index that the parts hold has been checked; what stands in
/// entries, operations and properties has not.
struct Container {
  uint64_t encoding = kNewestEncoding;
  llvm::StringRef producer;
  std::vector<llvm::StringRef> strings;
  std::vector<llvm::StringRef> dialects;
  std::vector<OperationEntry> operationNames;
  std::vector<Entry> attributes, types;
  std::vector<Bytes> properties;
  std::optional<Bytes> operations;

  llvm::LogicalResult read(Bytes file);
};

/// The next section of `bytes`.
llvm::LogicalResult readSection(Bytes &bytes, Section &section, Bytes &content);

} // namespace systole::artifact

#endif // SYSTOLE_COMPILER_IMPORT_ARTIFACT_CONTAINER_H
