// Orders of dimensions, and what they cost.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LAYOUT_ORDER_H
#define SYSTOLE_COMPILER_LAYOUT_ORDER_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace systole {

/// The dimensions of a tensor from major to minor: place j of the tensor as it
/// lies is dimension order[j].
using Order = llvm::SmallVector<int64_t, 4>;

/// A tensor and how it lies.
struct Placed {
  mlir::RankedTensorType type;
  Order order;
};

Order rowMajor(int64_t rank);
bool isRowMajor(llvm::ArrayRef<int64_t> order);

/// Row-major order, but for the last dimension that is not of size 1, which lies along the
/// lanes: the same elements in the same order, without a row for each of them.
Order compactRowMajor(mlir::RankedTensorType type);

/// Whether an operation takes row-major operands and gives row-major results, whatever their
/// shapes.
bool takesRowMajor(mlir::Operation *op);

/// The place of each dimension.
Order inverse(llvm::ArrayRef<int64_t> order);

/// The order that a shape alone decides (dialects/Layout/EntryLayout.h).
Order preferredOrder(mlir::RankedTensorType type);

/// The order of an argument or result with these attributes: the one that the caller asks for
/// (`mhlo.layout_mode`, "{0,1}" from minor to major), else the preferred one. An error if `type`
/// cannot have it.
llvm::FailureOr<Order> entryOrderOf(mlir::DictionaryAttr attributes, mlir::RankedTensorType type,
                                    llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// The row tile of an argument or result of `type` in this order: the caller's orders have none.
int64_t entryTileOf(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> order);

/// `values`, one per dimension, as the dimensions lie.
template <typename T>
llvm::SmallVector<T> inOrder(llvm::ArrayRef<T> values, llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<T> result;
  for (int64_t d : order)
    result.push_back(values[d]);
  return result;
}

mlir::RankedTensorType physicalType(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> order);
mlir::RankedTensorType logicalType(mlir::RankedTensorType physical, llvm::ArrayRef<int64_t> order);

/// The order without the dimensions of size 1, which may lie anywhere.
Order withoutUnits(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> order);

/// Bytes of a tensor in this order, padding included.
int64_t bytesIn(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> order);

/// Bytes that a change of order reads and writes; 0 if every element stays in its
/// row and lane.
int64_t relayoutBytes(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> from,
                      llvm::ArrayRef<int64_t> to);

} // namespace systole

#endif // SYSTOLE_COMPILER_LAYOUT_ORDER_H
