// The words of HLO text.
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

/// Takes words from a text; what cannot be taken is an error, of which the first is kept. Space and
/// comments between words are skipped.
class TextLexer {
public:
  explicit TextLexer(llvm::StringRef text) : text(text) {}

  /// False, after an error here.
  bool fail(const llvm::Twine &message);
  const std::optional<TextError> &error() const { return first; }

  bool atEnd();
  unsigned line(); // of the next word, from 1

  /// Whether the next character is `c`; with `adjoining` without space before it.
  bool peek(char c, bool adjoining = false);
  /// Takes `token` if it is next.
  bool consume(llvm::StringRef token);
  bool expect(llvm::StringRef token);

  /// A name, number or keyword; "" if there is none. A percent sign before a name is left out.
  llvm::StringRef word();
  /// The same, which has to be there.
  bool expectWord(llvm::StringRef &word);
  bool integer(int64_t &value);
  bool integer(int32_t &value);
  bool boolean(bool &value);
  bool quoted(std::string &value);
  /// A float, also as inf, nan or with a nan's payload.
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
  /// Skips a value, which ends at a space, comma or closing bracket that is not inside of brackets,
  /// and returns it.
  bool skipValue(llvm::StringRef *value = nullptr);

  llvm::StringRef text;
  size_t at = 0;

private:
  void skipSpace();

  std::optional<TextError> first;
  unsigned lines = 1;   // up to
  size_t countedTo = 0; // this place
};

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_TEXTLEXER_H
