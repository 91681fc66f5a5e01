// How the operations of a kernel are cut into grid steps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_BLOCKING_H
#define SYSTOLE_COMPILER_TILING_BLOCKING_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace systole {

/// The parallel dimension that a kernel's grid runs over.
///
/// Every tensor of the kernel either has one dimension that is cut into blocks
/// of `blockSize`, or is whole in every step.
struct Blocking {
  int64_t size = 1;      ///< elements of the cut dimension
  int64_t blockSize = 1; ///< elements of one step
  /// The cut dimension of each tensor; absent when the tensor is whole.
  llvm::DenseMap<mlir::Value, int64_t> dims;

  int64_t steps() const { return (size + blockSize - 1) / blockSize; }
  bool isWhole() const { return dims.empty(); }
  /// The shape of one block of `value`.
  llvm::SmallVector<int64_t> blockShape(mlir::Value value) const;
};

/// Bytes that a tensor takes in VMEM or HBM, padding included.
int64_t paddedBytes(mlir::RankedTensorType type);

/// Bytes of a tensor's elements alone.
int64_t payloadBytes(mlir::RankedTensorType type);

/// Finds how to run `ops` (in program order, all in one block) as one kernel
/// whose blocks fit into `vmemBytes`: whole if that fits and moves little data,
/// else cut along a dimension in which all of them are parallel. Nothing if
/// there is no such dimension.
std::optional<Blocking> findBlocking(llvm::ArrayRef<mlir::Operation *> ops, int64_t vmemBytes);

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_BLOCKING_H
