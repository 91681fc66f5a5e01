// The parser of HLO text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_TEXTPARSER_H
#define SYSTOLE_COMPILER_IMPORT_HLO_TEXTPARSER_H

#include "compiler/Import/Hlo/TextLexer.h"

#include "llvm/ADT/StringMap.h"

namespace systole::hlo {

// Each function parses the construct that it is named after, and returns false after an error.

/// `f32[2,3]{1,0:T(8,128)}` or `(f32[], token[])`
bool parseShape(TextLexer &lexer, ShapeProto &shape);
/// Parses the literal in `constant(...)`, of the given shape.
bool parseLiteral(TextLexer &lexer, const ShapeProto &shape, LiteralProto &literal);
/// `{devices=[2,1]<=[2]}`: only the number of devices.
bool parseSharding(TextLexer &lexer, OpSharding &sharding);
/// `{op_name="..." source_file="..." source_line=1}`
bool parseMetadata(TextLexer &lexer, OpMetadata &metadata);

/// The names of the computations that an instruction calls. Protos list a while's body first, text
/// lists it last.
struct CalledNames {
  llvm::SmallVector<llvm::StringRef, 2> names; // in the order of protos, except for a body
  llvm::StringRef body;
};

/// `, name=value` of an instruction whose opcode is set.
bool parseAttribute(TextLexer &lexer, HloInstructionProto &instruction, CalledNames &calls);

/// The stack frame tables before the computations.
bool parseStackFrames(TextLexer &lexer, StackFrameIndexProto &frames);

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_TEXTPARSER_H
