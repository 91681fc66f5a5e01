// Lexical analysis of StableHLO text before it is parsed.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_SOURCETEXT_H
#define SYSTOLE_COMPILER_IMPORT_SOURCETEXT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace systole {

/// The offset of the first bracket nested in `most` others. The parser and later passes recurse
/// into brackets of every kind.
std::optional<size_t> findTooDeep(llvm::StringRef text, unsigned most);

/// The offset of the first tensor type with more than kMaxRank dimensions, for which MLIR's parser
/// takes quadratic time.
std::optional<size_t> findHighRank(llvm::StringRef text);

/// The offset of the first attribute `array<T: ...>` whose element type is `index` or a type alias:
/// MLIR's parser does not handle `index`, which an alias may stand for.
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
  size_t offset;        ///< of the first character, a quote in generic form
};

/// The name of the operation whose text contains `offset`, if it has a dialect prefix, in pretty or
/// generic form.
std::optional<OperationName> operationAt(llvm::StringRef text, size_t offset);

struct KindName {
  char sigil;       ///< '#' of an attribute, '!' of a type
  std::string name; ///< such as stablehlo.token
  size_t offset;    ///< of the sigil
};

/// The kind of the attribute or type whose mnemonic is at `offset`: `#dialect.mnemonic<...>` or
/// `#dialect<mnemonic ...>`; both give the name dialect.mnemonic.
std::optional<KindName> kindAt(llvm::StringRef text, size_t offset);

/// Lines and columns count from 1, and columns in bytes, as in the parser.
size_t offsetOf(llvm::StringRef text, unsigned line, unsigned column);
std::pair<unsigned, unsigned> lineAndColumn(llvm::StringRef text, size_t offset);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_SOURCETEXT_H
