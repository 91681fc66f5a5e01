// The lexer of HLO text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/TextLexer.h"

#include "llvm/ADT/StringExtras.h"

#include <limits>

using llvm::StringRef, llvm::Twine;

namespace systole::hlo {

bool TextLexer::fail(const Twine &message) {
  if (!first) {
    skipSpace();
    first = {at, message.str()};
  }
  return false;
}

void TextLexer::skipSpace() {
  while (at < text.size()) {
    StringRef rest = text.substr(at);
    if (isspace(uint8_t(rest.front()))) {
      ++at;
    } else if (rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with("/*")) {
      const size_t end = text.find("*/", at + 2);
      at = end == StringRef::npos ? text.size() : end + 2;
    } else {
      return;
    }
  }
}

bool TextLexer::atEnd() {
  skipSpace();
  return at == text.size();
}

unsigned TextLexer::line() {
  skipSpace();
  lines += text.slice(countedTo, at).count('\n');
  countedTo = at;
  return lines;
}

bool TextLexer::peek(char c, bool adjoining) {
  if (!adjoining)
    skipSpace();
  return at < text.size() && text[at] == c;
}

bool TextLexer::consume(StringRef token) {
  skipSpace();
  if (!text.substr(at).starts_with(token))
    return false;
  at += token.size();
  return true;
}

bool TextLexer::expect(StringRef token) {
  return consume(token) || fail("expected '" + token + "'");
}

StringRef TextLexer::word() {
  skipSpace();
  if (at < text.size() && text[at] == '%')
    ++at;
  const size_t start = at;
  auto isPart = [&](size_t position) {
    const char c = text[position];
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '+' ||
           (c == '-' && text.substr(position + 1, 1) != ">");
  };
  while (at < text.size() && isPart(at))
    ++at;
  return text.slice(start, at);
}

bool TextLexer::expectWord(StringRef &result) {
  result = word();
  return !result.empty() || fail("expected a name");
}

bool TextLexer::integer(int64_t &value) {
  const size_t start = at;
  if (!word().getAsInteger(10, value))
    return true;
  at = start;
  return fail("expected an integer");
}

bool TextLexer::integer(int32_t &value) {
  int64_t wide;
  if (!integer(wide))
    return false;
  value = int32_t(wide);
  return value == wide || fail("the integer before this takes more than 32 bits");
}

bool TextLexer::boolean(bool &value) {
  const size_t start = at;
  StringRef name = word();
  if (name == "true" || name == "false") {
    value = name == "true";
    return true;
  }
  at = start;
  return fail("expected true or false");
}

bool TextLexer::quoted(std::string &value) {
  if (!expect("\""))
    return false;
  value.clear();
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"') {
      ++at;
      return true;
    }
    if (c == '\\' && at + 1 < text.size()) {
      c = text[++at];
      if (c == 'n')
        c = '\n';
      else if (c == 't')
        c = '\t';
    }
    value += c;
  }
  return fail("expected '\"'");
}

bool TextLexer::real(double &value) {
  const size_t start = at;
  StringRef number = word();
  StringRef magnitude = number;
  const bool isNegative = magnitude.consume_front("-");
  if (magnitude == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
    // The payload is dropped.
    return !peek('(', /*adjoining=*/true) || skipValue();
  }
  if (magnitude == "inf") {
    value = std::numeric_limits<double>::infinity() * (isNegative ? -1 : 1);
    return true;
  }
  if (!number.empty() && !number.getAsDouble(value))
    return true;
  at = start;
  return fail("expected a number");
}

bool TextLexer::list(llvm::function_ref<bool()> item, StringRef open, StringRef close) {
  if (!expect(open))
    return false;
  while (!consume(close)) {
    if (!item())
      return false;
    consume(",");
  }
  return true;
}

bool TextLexer::skipValue(StringRef *value) {
  skipSpace();
  const size_t start = at;
  llvm::SmallVector<char> closing;
  while (true) {
    if (at == text.size())
      return closing.empty() || fail("expected '" + Twine(closing.back()) + "'");
    const char c = text[at];
    if (c == '"') {
      std::string skipped;
      if (!quoted(skipped))
        return false;
      continue;
    }
    if (closing.empty() && (c == ',' || c == '}' || c == ')' || c == ']' ||
                            std::isspace(static_cast<unsigned char>(c))))
      break;
    if (c == '{' || c == '(' || c == '[')
      closing.push_back(c == '{' ? '}' : c == '(' ? ')' : ']');
    else if (!closing.empty() && c == closing.back())
      closing.pop_back();
    ++at;
  }
  if (value)
    *value = text.slice(start, at);
  return true;
}

} // namespace systole::hlo
