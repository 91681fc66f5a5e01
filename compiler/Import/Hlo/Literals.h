// HLO literals as constants.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_LITERALS_H
#define SYSTOLE_COMPILER_IMPORT_HLO_LITERALS_H

#include "compiler/Import/Hlo/hlo.pb.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace systole::hlo {

/// The constant of `type` from an array literal, whose elements are in the order of its own shape's
/// layout. Null if its shape or number of elements does not match the type.
mlir::DenseElementsAttr constantFrom(const LiteralProto &literal, mlir::RankedTensorType type);

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_LITERALS_H
