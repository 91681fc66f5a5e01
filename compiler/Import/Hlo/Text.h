// Parses HLO text, as XLA dumps it, into protos.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_TEXT_H
#define SYSTOLE_COMPILER_IMPORT_HLO_TEXT_H

#include "compiler/Import/Hlo/ReadProto.h"

#include <optional>

namespace systole::hlo {

struct TextError {
  size_t offset;
  std::string message;
};

/// Parses a module. Instructions without metadata get their line in `fileName` as location. Returns
/// the first error, or nothing.
std::optional<TextError> parseText(llvm::StringRef text, llvm::StringRef fileName, Source &source);

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_TEXT_H
