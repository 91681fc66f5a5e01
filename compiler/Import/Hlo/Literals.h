// HLO literals as constants.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_LITERALS_H
#define SYSTOLE_COMPILER_IMPORT_HLO_LITERALS_H

#include "compiler/Import/Hlo/hlo.pb.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace systole::hlo {

/// An element type that fills a byte of a literal in part, or is a float of 8 bits.
struct SmallElements {
  int32_t primitive;
  const llvm::fltSemantics &(*semantics)(); // null for integers
  std::string *(LiteralProto::*mutableBytes)();
  const std::string &(LiteralProto::*bytes)() const;
};
/// Null for other types.
const SmallElements *smallElements(int32_t primitive);

/// The constant of `type` from an array literal, whose elements are in the order of its own shape's
/// layout. Null if its shape or number of elements does not match the type.
mlir::DenseElementsAttr constantFrom(const LiteralProto &literal, mlir::RankedTensorType type);

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_LITERALS_H
