// The lexer of HLO text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_TEXTLEXER_H
#define SYSTOLE_COMPILER_IMPORT_HLO_TEXTLEXER_H

#include "compiler/Import/Hlo/Text.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

namespace systole::hlo {

/// Reads tokens from a text; whitespace and comments between them are skipped. Only the first error
/// is kept.
class TextLexer {
public:
  explicit TextLexer(llvm::StringRef text) : text(text) {}

  /// Records an error at the current position; returns false.
  bool fail(const llvm::Twine &message);
  const std::optional<TextError> &error() const { return first; }

  bool atEnd();
  unsigned line(); // of the next token, from 1

  /// Whether the next character is `c`; with `adjoining` without whitespace before it.
  bool peek(char c, bool adjoining = false);
  /// Consumes `token` if it is next.
  bool consume(llvm::StringRef token);
  bool expect(llvm::StringRef token);

  /// A name, number or keyword; "" if there is none. A percent sign before a name is skipped.
  llvm::StringRef word();
  /// The same, but a missing word is an error.
  bool expectWord(llvm::StringRef &word);
  bool integer(int64_t &value);
  bool integer(int32_t &value);
  bool boolean(bool &value);
  bool quoted(std::string &value);
  /// A float, which may be inf, nan, or a nan with a payload.
  bool real(double &value);

  /// `{item, item}` or, with `close`, between other brackets; items may be separated by commas.
  bool list(llvm::function_ref<bool()> item, llvm::StringRef open = "{",
            llvm::StringRef close = "}");
  /// `{1,2}`
  template <typename Numbers> bool integers(Numbers &numbers) {
    return list([&] {
      int64_t value;
      if (!integer(value))
        return false;
      numbers.Add(value);
      return true;
    });
  }
  /// Skips and returns a value, which ends at whitespace, a comma or a closing bracket outside of
  /// nested brackets.
  bool skipValue(llvm::StringRef *value = nullptr);

  llvm::StringRef text;
  size_t at = 0;

private:
  void skipSpace();

  std::optional<TextError> first;
  unsigned lines = 1;   // line number at countedTo
  size_t countedTo = 0; // the position up to which lines are counted
};

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_TEXTLEXER_H
