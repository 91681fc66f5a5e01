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

/// The sizes of what start indices enumerate: those of `indices` but `vectorDim`.
llvm::SmallVector<int64_t> positionsOf(mlir::Value indices, int64_t vectorDim);

/// By dimension of an array of `rank`, the start indices of slices, each as i32 with the shape of
/// the positions; null where they are always 0. `startMap` has the dimensions of the coordinates,
/// `batchingDims` those along which the dimensions `indicesBatchingDims` of the indices count.
llvm::SmallVector<mlir::Value> startsOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value indices,
                                        int64_t vectorDim, int64_t rank,
                                        llvm::ArrayRef<int64_t> startMap,
                                        llvm::ArrayRef<int64_t> batchingDims,
                                        llvm::ArrayRef<int64_t> indicesBatchingDims);

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_INDICES_H
