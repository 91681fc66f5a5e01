// Where the elements of results come from.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_REFINE_SOURCES_H
#define SYSTOLE_COMPILER_LEGALIZE_REFINE_SOURCES_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace systole::refine {

/// An element of an operand, in row-major order.
struct Source {
  unsigned operand;
  int64_t element;
};

/// Calls `visit` with each index of `shape`, in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// The row-major number of an index.
int64_t linear(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape);

/// For each element of the result the one that it is, if the operation only moves elements from
/// places that are known; shapes are static.
std::optional<llvm::SmallVector<Source>> sourcesOf(mlir::Operation *op);

} // namespace systole::refine

#endif // SYSTOLE_COMPILER_LEGALIZE_REFINE_SOURCES_H
