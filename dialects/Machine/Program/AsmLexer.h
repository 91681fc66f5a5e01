// Tokens of the machine's text form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASMLEXER_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASMLEXER_H

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace systole::assembly {

struct Position {
  int line = 1, column = 1;
};

struct Token {
  enum class Kind {
    Identifier,  // a letter or '_', then letters, digits, '_' and '.'
    Directive,   // '.' and an identifier; `text` is without the dot
    Integer,     // `integer`; decimal or 0x, signed
    Float,       // `integer` has the bits of the f32
    String,      // `text` is the unescaped string
    Punctuation, // `text` is one character
    Newline,
    Error, // no token; `text` is the reason
    End,
  };
  Kind kind = Kind::End;
  Position position;
  std::string text;
  int64_t integer = 0;

  bool is(char punctuation) const { return kind == Kind::Punctuation && text[0] == punctuation; }
  bool isWord(absl::string_view word) const { return kind == Kind::Identifier && text == word; }
};

class Lexer {
public:
  explicit Lexer(absl::string_view text) : rest(text) {}

  Token next();

private:
  void advance(size_t count);
  Token number(Token token);
  Token string(Token token);

  absl::string_view rest;
  Position position;
};

} // namespace systole::assembly

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_ASMLEXER_H
