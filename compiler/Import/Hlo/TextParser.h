// The grammar of HLO text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_TEXTPARSER_H
#define SYSTOLE_COMPILER_IMPORT_HLO_TEXTPARSER_H

#include "compiler/Import/Hlo/TextLexer.h"

#include "llvm/ADT/StringMap.h"

namespace systole::hlo {

// Each of these takes what it is named after and returns false after an error.

/// `f32[2,3]{1,0:T(8,128)}` or `(f32[], token[])`
bool parseShape(TextLexer &lexer, ShapeProto &shape);
/// Parses the literal in `constant(...)`, of the given shape.
bool parseLiteral(TextLexer &lexer, const ShapeProto &shape, LiteralProto &literal);
/// `{devices=[2,1]<=[2]}`: among how many devices.
bool parseSharding(TextLexer &lexer, OpSharding &sharding);
/// `{op_name="..." source_file="..." source_line=1}`
bool parseMetadata(TextLexer &lexer, OpMetadata &metadata);

/// The computations that an instruction calls, by name; a while's body stands first in protos and
/// last in text.
struct CalledNames {
  llvm::SmallVector<llvm::StringRef, 2> names; // in the order of protos, but for a body
  llvm::StringRef body;
};

/// `, name=value` of an instruction whose opcode is set.
bool parseAttribute(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &calls);

/// The tables of source lines before the computations.
bool parseStackFrames(TextLexer &lexer, StackFrameIndexProto &frames);

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_TEXTPARSER_H
