// Static analysis of index tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_INDICES_H
#define SYSTOLE_COMPILER_TENSOR_INDICES_H

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

namespace systole {

/// An arithmetic progression along one dimension: first + step * index.
struct Progression {
  int64_t dim, first, step;
};

/// The progression that a tensor of integers contains, traced through the operations that producers
/// use (iota, scaling, broadcasts, wrapping of negative indices).
std::optional<Progression> progressionOf(mlir::Value value);

/// The value of a splat integer constant.
std::optional<int64_t> splatOf(mlir::Value value);

/// The coordinates along `vectorDim` of `indices` (or a single one, if that equals its rank), each
/// as i32 with the shape of the positions.
llvm::SmallVector<mlir::Value> coordinatesOf(mlir::OpBuilder &b, mlir::Location loc,
                                             mlir::Value indices, int64_t vectorDim);

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_INDICES_H
