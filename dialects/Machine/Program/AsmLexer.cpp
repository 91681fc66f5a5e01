// Tokens of the machine's text form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/AsmLexer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace systole::assembly {
namespace {

bool isWordStart(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool isWordPart(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; }

size_t wordLength(absl::string_view text) {
  size_t length = 0;
  while (length < text.size() && isWordPart(text[length]))
    ++length;
  return length;
}

// Lexing stops at an error.
Token error(Token token, absl::string_view message) {
  token.kind = Token::Kind::Error;
  token.text = std::string(message);
  return token;
}

} // namespace

void Lexer::advance(size_t count) {
  for (char c : rest.substr(0, count)) {
    position.column = c == '\n' ? 1 : position.column + 1;
    position.line += c == '\n';
  }
  rest.remove_prefix(count);
}

Token Lexer::next() {
  while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r'))
    advance(1);
  if (rest.substr(0, 2) == "//")
    advance(std::min(rest.find('\n'), rest.size()));

  Token token;
  token.position = position;
  if (rest.empty())
    return token;
  const char c = rest[0];
  const char after = rest.size() > 1 ? rest[1] : '\0';
  auto take = [&](Token::Kind kind, size_t skip, size_t length) {
    token.kind = kind;
    token.text = std::string(rest.substr(skip, length));
    advance(skip + length);
    return token;
  };
  if (c == '\n')
    return take(Token::Kind::Newline, 0, 1);
  if (isWordStart(c))
    return take(Token::Kind::Identifier, 0, wordLength(rest));
  if (c == '.' && isWordStart(after))
    return take(Token::Kind::Directive, 1, wordLength(rest.substr(1)));
  if (absl::ascii_isdigit(c) || ((c == '-' || c == '+') && absl::ascii_isalnum(after)))
    return number(token);
  if (c == '"')
    return string(token);
  if (absl::string_view("{}[](),;=#:").find(c) != absl::string_view::npos)
    return take(Token::Kind::Punctuation, 0, 1);
  return error(token,
               absl::StrCat("unexpected character `", absl::CHexEscape(rest.substr(0, 1)), "`"));
}

Token Lexer::number(Token token) {
  // The sign, digits and letters, and the sign of a decimal exponent.
  size_t length = 1;
  const bool hex = rest.substr(rest[0] == '-' || rest[0] == '+').substr(0, 2) == "0x";
  while (length < rest.size() &&
         (isWordPart(rest[length]) || (!hex && (rest[length] == '-' || rest[length] == '+') &&
                                       (rest[length - 1] == 'e' || rest[length - 1] == 'E'))))
    ++length;
  const std::string text(rest.substr(0, length));
  auto fail = [&](absl::string_view why) {
    return error(token, absl::StrCat("`", text, "` ", why));
  };

  const absl::string_view digits = absl::string_view(text).substr(text[0] == '-' || text[0] == '+');
  const bool negative = text[0] == '-';
  if (hex) {
    uint64_t value = 0;
    if (digits.size() < 3 || digits.size() > 18 || !absl::SimpleHexAtoi(digits.substr(2), &value) ||
        value > uint64_t(INT64_MAX))
      return fail("is not a hexadecimal number");
    token.integer = negative ? -int64_t(value) : int64_t(value);
    token.kind = Token::Kind::Integer;
  } else if (absl::SimpleAtoi(text, &token.integer)) {
    token.kind = Token::Kind::Integer;
  } else {
    std::string value(text);
    if (absl::EndsWith(value, "f") && value != "inf" && digits != "inf")
      value.pop_back();
    float f = 0;
    // SimpleAtof returns infinity beyond the range of f32, where only "inf" may stand for it.
    if (!absl::SimpleAtof(value, &f))
      return fail("is not a number");
    if (std::isinf(f) && digits != "inf")
      return fail("is beyond the range of f32");
    token.integer = int64_t(std::bit_cast<uint32_t>(f));
    token.kind = Token::Kind::Float;
  }
  token.text = text;
  advance(length);
  return token;
}

Token Lexer::string(Token token) {
  size_t end = 1;
  while (end < rest.size() && rest[end] != '"' && rest[end] != '\n')
    end += rest[end] == '\\' && end + 1 < rest.size() && rest[end + 1] != '\n' ? 2 : 1;
  if (end >= rest.size() || rest[end] != '"')
    return error(token, "the string has no end on its line");
  std::string reason;
  if (!absl::CUnescape(rest.substr(1, end - 1), &token.text, &reason))
    return error(token, absl::StrCat("malformed string: ", reason));
  token.kind = Token::Kind::String;
  advance(end + 1);
  return token;
}

} // namespace systole::assembly
