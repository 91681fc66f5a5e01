// The elements of constants as artifacts hold them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_ELEMENTS_H
#define SYSTOLE_COMPILER_IMPORT_ELEMENTS_H

#include "mlir/IR/BuiltinAttributes.h"

namespace systole {

/// The constant of a static type whose elements are `bytes` as MLIR keeps them, one after the other
/// or one for all; null if they do not fit the type.
mlir::DenseElementsAttr elementsFrom(mlir::Type type, llvm::ArrayRef<char> bytes);

/// Truth values in portable artifacts are bits, the first one the lowest of a byte, or for all of
/// them a byte of ones or zeros. Older writers have a byte for each.
mlir::DenseElementsAttr predicatesFrom(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);
std::string bytesOfPredicates(mlir::DenseElementsAttr elements);

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_ELEMENTS_H
