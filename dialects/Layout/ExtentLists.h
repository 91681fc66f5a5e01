// Lists of extents in the syntax of dialects: `[4, 8]`, possibly empty.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_LAYOUT_EXTENTLISTS_H
#define SYSTOLE_DIALECTS_LAYOUT_EXTENTLISTS_H

#include "mlir/IR/OpImplementation.h"

namespace systole {

inline mlir::ParseResult parseExtents(mlir::AsmParser &parser,
                                      llvm::SmallVectorImpl<int64_t> &extents) {
  return parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(extents.emplace_back());
  });
}

inline void printExtents(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> extents) {
  printer << '[';
  llvm::interleaveComma(extents, printer);
  printer << ']';
}

} // namespace systole

#endif // SYSTOLE_DIALECTS_LAYOUT_EXTENTLISTS_H
