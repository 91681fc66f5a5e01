// What is known of indices before the program runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_INDICES_H
#define SYSTOLE_COMPILER_GRAPH_INDICES_H

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

namespace systole {

/// Elements that grow evenly along one dimension: first + step * index.
struct Progression {
  int64_t dim, first, step;
};

/// The progression that a tensor of integers is, through the operations by which producers
/// make one (counting, scaling, broadcasting, adding the size to what is negative).
std::optional<Progression> progressionOf(mlir::Value value);

/// The integer that all elements are.
std::optional<int64_t> splatOf(mlir::Value value);

/// The coordinates that lie along `vectorDim` of `indices` (or the only one, if that is its
/// rank), each as i32 with the shape of the positions.
llvm::SmallVector<mlir::Value> coordinatesOf(mlir::OpBuilder &b, mlir::Location loc,
                                             mlir::Value indices, int64_t vectorDim);

} // namespace systole

#endif // SYSTOLE_COMPILER_GRAPH_INDICES_H
