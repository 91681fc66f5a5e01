// Elements of constants in portable artifacts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_ELEMENTS_H
#define SYSTOLE_COMPILER_IMPORT_ELEMENTS_H

#include "mlir/IR/BuiltinAttributes.h"

namespace systole {

/// The constant of a static type with the elements `bytes` in MLIR's format, for a dense or splat
/// attribute; null if they do not fit the type.
mlir::DenseElementsAttr elementsFrom(mlir::Type type, llvm::ArrayRef<char> bytes);

/// Elements of type i1 are packed as bits, the first one in the lowest bit of a byte; a splat is
/// one byte of ones or zeros. Older writers use one byte per element.
mlir::DenseElementsAttr predicatesFrom(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);
std::string bytesOfPredicates(mlir::DenseElementsAttr elements);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_ELEMENTS_H
