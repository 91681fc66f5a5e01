// The range of an affine expression over a box of indices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_KERNEL_BOUNDS_H
#define SYSTOLE_DIALECTS_KERNEL_BOUNDS_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace systole::kernel {

struct Bounds {
  int64_t min = 0, max = 0; // both included
};

/// Bounds of `expr` for 0 <= d_i < extents[i], all extents positive; exact for
/// linear expressions of distinct dimensions, otherwise possibly wider.
/// std::nullopt if the expression has symbols, multiplies dimensions, divides by
/// a non-constant or a value that may be negative, or leaves 62 bits.
std::optional<Bounds> boundsOf(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> extents);

/// An index that counts along one dimension: `factor` * d_dim + `offset`, or just `offset` if
/// there is no dimension.
struct LinearIndex {
  std::optional<unsigned> dim;
  int64_t factor = 0, offset = 0;
};
/// `expr` as such an index, with a factor above 0 and an offset of at least 0, if it is one.
std::optional<LinearIndex> linearIndexOf(mlir::AffineExpr expr);

} // namespace systole::kernel

#endif // SYSTOLE_DIALECTS_KERNEL_BOUNDS_H
