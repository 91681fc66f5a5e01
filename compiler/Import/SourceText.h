// What can be told from a producer's text without parsing it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_SOURCETEXT_H
#define SYSTOLE_COMPILER_IMPORT_SOURCETEXT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace systole {

/// The first bracket that stands in `most` others, as an offset. The parser and what
/// follows it recurse into brackets of every kind.
std::optional<size_t> findTooDeep(llvm::StringRef text, unsigned most);

/// The first type of a tensor with more than kMaxRank dimensions, as an offset: MLIR's parser takes
/// quadratic time for them.
std::optional<size_t> findHighRank(llvm::StringRef text);

/// The first attribute `array<T: ...>` whose element type is an index or a name of a type, as an
/// offset: MLIR's parser is not prepared for the former, which may be what the latter stands for.
std::optional<size_t> findIndexArray(llvm::StringRef text);

/// Levels of aliases and brackets in the value of an alias.
inline constexpr uint64_t kMaxAliasDepth = 1024;
/// Tokens of the value of an alias of an attribute or a type, with all aliases in it written out.
inline constexpr uint64_t kMaxAliasTokens = 1 << 14;
/// Tokens that all such aliases outside of other aliases' values add to the text.
inline constexpr uint64_t kMaxExpandedTokens = 1 << 24;

/// The first definition or use of an alias that exceeds these limits, as an offset: a few lines of
/// aliases make attributes and types that the parser, the verifier or a diagnostic would take
/// exponential time to walk, or more stack than there is. Aliases of locations, which are shared
/// and not written out, only have the limit on depth.
std::optional<size_t> findLargeAlias(llvm::StringRef text);

struct OperationName {
  llvm::StringRef name; ///< without quotes
  size_t offset;        ///< of the first character, a quote in the generic form
};

/// The name of the operation whose text holds the place `offset`, if that is the name of
/// a dialect's operation in its pretty or generic form.
std::optional<OperationName> operationAt(llvm::StringRef text, size_t offset);

struct KindName {
  char sigil;       ///< '#' of an attribute, '!' of a type
  std::string name; ///< such as stablehlo.token
  size_t offset;    ///< of the sigil
};

/// The kind of attribute or type whose text has its mnemonic at `offset`: `#dialect.mnemonic<...>`
/// or `#dialect<mnemonic ...>`, each joined by a dot in the name.
std::optional<KindName> kindAt(llvm::StringRef text, size_t offset);

/// Lines and columns count from 1, and the latter in bytes, as the parser's do.
size_t offsetOf(llvm::StringRef text, unsigned line, unsigned column);
std::pair<unsigned, unsigned> lineAndColumn(llvm::StringRef text, size_t offset);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_SOURCETEXT_H
