// Lexical analysis of StableHLO text before it is parsed.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/SourceText.h"

#include "compiler/Import/Rank.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace systole {

namespace {

/// Words, string literals and single characters, without comments.
class Tokens {
public:
  explicit Tokens(StringRef text) : text(text) {}

  /// The next token, empty at the end.
  StringRef next() {
    skipBlanks();
    size_t begin = position;
    if (begin == text.size())
      return "";
    char first = text[begin];
    if (first == '"')
      position = endOfQuote(begin);
    else if (isWordCharacter(first))
      while (position < text.size() && isWordCharacter(text[position]))
        ++position;
    else if (text.substr(begin, 2) == "->" || text.substr(begin, 2) == ">=" ||
             text.substr(begin, 2) == "<=")
      position += 2;
    else
      ++position;
    return text.slice(begin, position);
  }

  /// Whether the latest token is the first one on its line.
  bool isFirstOfLine(StringRef token) const {
    StringRef before = text.take_front(token.data() - text.data()).rtrim(" \t");
    return before.empty() || before.back() == '\n';
  }

private:
  static bool isWordCharacter(char c) { return isAlnum(c) || c == '_' || c == '.' || c == '$'; }

  void skipBlanks() {
    while (position < text.size()) {
      if (isSpace(text[position]))
        ++position;
      else if (text.substr(position, 2) == "//")
        position = std::min(text.find('\n', position), text.size());
      else
        return;
    }
  }

  size_t endOfQuote(size_t begin) const {
    for (size_t i = begin + 1; i < text.size(); ++i) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        return i + 1;
    }
    return text.size();
  }

  StringRef text;
  size_t position = 0;
};

} // namespace

std::optional<size_t> findTooDeep(StringRef text, unsigned most) {
  Tokens tokens(text);
  unsigned depth = 0;
  for (StringRef token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token.size() != 1)
      continue;
    if (StringRef("([{<").contains(token.front())) {
      if (depth++ == most)
        return token.data() - text.data();
    } else if (StringRef(")]}>").contains(token.front()) && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

std::optional<size_t> findHighRank(StringRef text) {
  constexpr StringRef kTensor = "tensor<";
  for (size_t at = text.find(kTensor); at != StringRef::npos; at = text.find(kTensor, at + 1)) {
    StringRef rest = text.drop_front(at + kTensor.size());
    int64_t rank = 0;
    for (; rank <= kMaxRank; ++rank) {
      StringRef size = rest.take_while([](char c) { return llvm::isDigit(c) || c == '?'; });
      rest = rest.drop_front(size.size()).ltrim();
      if (size.empty() || !rest.consume_front("x"))
        break;
      rest = rest.ltrim();
    }
    if (rank > kMaxRank)
      return at;
  }
  return std::nullopt;
}

std::optional<size_t> findIndexArray(StringRef text) {
  Tokens tokens(text);
  StringRef name = tokens.next(), bracket = tokens.next();
  for (StringRef type = tokens.next(); !type.empty(); type = tokens.next()) {
    if (name == "array" && bracket == "<" && (type == "index" || type == "!"))
      return type.data() - text.data();
    name = bracket;
    bracket = type;
  }
  return std::nullopt;
}

namespace {

/// The value of an alias with all aliases in it written out.
struct AliasExtent {
  uint64_t depth = 1, tokens = 1;
  bool isLocation = false;
};

} // namespace

std::optional<size_t> findLargeAlias(StringRef text) {
  Tokens tokens(text);
  StringMap<AliasExtent> aliases;
  AliasExtent *defined = nullptr; // the alias whose value is being read
  uint64_t brackets = 0, expanded = 0;
  bool beginsValue = false;
  StringRef token = tokens.next();
  while (!token.empty()) {
    StringRef first = token;
    size_t offset = first.data() - text.data();
    bool beginsLine = brackets == 0 && tokens.isFirstOfLine(first);
    token = tokens.next();
    // An operation begins; the value of an alias may go on with a bracket or another alias.
    if (beginsLine && !beginsValue && !StringRef("([{<#!").contains(first.front()))
      defined = nullptr;
    beginsValue = false;
    AliasExtent used;
    if ((first == "#" || first == "!") && token.data() == first.end() && !token.contains('.')) {
      StringRef name = text.substr(offset, 1 + token.size());
      token = tokens.next();
      if (beginsLine && token == "=") {
        token = tokens.next();
        defined = &(aliases[name] = AliasExtent());
        defined->isLocation = token == "loc";
        beginsValue = true;
        continue;
      }
      used = aliases.lookup(name);
    } else if (first.size() == 1 && StringRef("([{<").contains(first.front())) {
      ++brackets;
    } else if (first.size() == 1 && StringRef(")]}>").contains(first.front()) && brackets > 0) {
      --brackets;
    }
    if (!defined) {
      expanded += used.isLocation ? 0 : used.tokens - 1;
      if (expanded > kMaxExpandedTokens)
        return offset;
      continue;
    }
    defined->depth = std::max(defined->depth, brackets + used.depth);
    defined->tokens += used.tokens;
    if (defined->depth > kMaxAliasDepth ||
        (!defined->isLocation && defined->tokens > kMaxAliasTokens))
      return offset;
    // Shared, so that their tokens may be of any number.
    if (defined->isLocation)
      defined->tokens = 1;
  }
  return std::nullopt;
}

std::optional<OperationName> operationAt(StringRef text, size_t offset) {
  Tokens tokens(text);
  std::optional<OperationName> found;
  StringRef before, token = tokens.next();
  while (!token.empty() && token.data() - text.data() <= static_cast<ptrdiff_t>(offset)) {
    bool begins = before == "=" || before == "{" || tokens.isFirstOfLine(token);
    StringRef after = tokens.next();
    OperationName operation{token, static_cast<size_t>(token.data() - text.data())};
    if (token.front() == '"') {
      operation.name = token.drop_front().drop_back(token.size() > 1);
      // A named location, loc("name"(...)), looks the same.
      if (after == "(" && before != "(")
        found = operation;
    } else if (begins && isAlpha(token.front())) {
      // A name before `=` is an attribute's; `return` and other builtin operations have no dialect
      // prefix.
      if (token.contains('.') && after != "=")
        found = operation;
      else if (before != "=" && after != "=")
        found = std::nullopt;
    }
    before = token;
    token = after;
  }
  return found;
}

std::optional<KindName> kindAt(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  if (!before.ends_with(".") && !before.ends_with("<"))
    return std::nullopt;
  size_t sigil = before.find_last_of("#!");
  StringRef dialect = before.drop_back().drop_front(std::min(sigil, before.size() - 1));
  auto isWord = [](char c) { return isAlnum(c) || c == '_' || c == '$'; };
  StringRef mnemonic = text.drop_front(offset).take_while(isWord);
  if (sigil == StringRef::npos || !dialect.consume_front(text.substr(sigil, 1)) ||
      dialect.empty() || mnemonic.empty() || !all_of(dialect, isWord))
    return std::nullopt;
  return KindName{text[sigil], (dialect + "." + mnemonic).str(), sigil};
}

size_t offsetOf(StringRef text, unsigned line, unsigned column) {
  size_t begin = 0;
  for (unsigned i = 1; i < line; ++i) {
    size_t end = text.find('\n', begin);
    if (end == StringRef::npos)
      return text.size();
    begin = end + 1;
  }
  return std::min(begin + column - 1, text.size());
}

std::pair<unsigned, unsigned> lineAndColumn(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  size_t begin = before.rfind('\n');
  return {before.count('\n') + 1, offset - (begin == StringRef::npos ? 0 : begin + 1) + 1};
}

} // namespace systole
