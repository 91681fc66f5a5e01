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

/// One dimension of a kernel's grid.
///
/// Every tensor of the kernel either has one dimension that is cut into blocks
/// of `blockSize` along this axis, or is the same in every step of it.
struct Cut {
  int64_t size = 1;      ///< elements of the cut dimension
  int64_t blockSize = 1; ///< elements of one step
  /// The cut dimension of each tensor; absent when the tensor is not cut.
  llvm::DenseMap<mlir::Value, int64_t> dims;
  /// Operations whose results are the same in every step, which adds a chunk to them.
  llvm::SmallVector<mlir::Operation *, 1> accumulating;

  int64_t steps() const { return (size + blockSize - 1) / blockSize; }
  std::optional<int64_t> dimOf(mlir::Value value) const;
  /// The finest `blockSize`: of every tensor in HBM blocks begin at whole rows of 512 bytes, of
  /// which narrow elements pack several logical rows into one. `vectors`: and hold whole
  /// vector registers of eight rows or groups of lanes, as far as that is a matter of this
  /// dimension. Nothing if a copy of the last block would end beyond the tensor.
  std::optional<int64_t> quantum(bool vectors, llvm::function_ref<bool(mlir::Value)> isInHbm) const;
};

/// How a kernel is cut into grid steps; the last cut varies fastest.
struct Blocking {
  llvm::SmallVector<Cut, 2> cuts;

  bool isWhole() const { return cuts.empty(); }
  /// Whether any axis cuts `value`.
  bool isCut(mlir::Value value) const;
  /// The cut whose steps add up the result of `op`, or null.
  const Cut *chunksOf(mlir::Operation *op) const;
  size_t axisOf(const Cut &cut) const { return &cut - cuts.begin(); }
  /// The shape of one block of `value`.
  llvm::SmallVector<int64_t> blockShape(mlir::Value value) const;
};

/// Bytes that a block takes in VMEM or HBM, padding included.
int64_t blockBytes(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
/// Bytes that a tensor takes.
int64_t paddedBytes(mlir::RankedTensorType type);

/// Bytes of a tensor's elements alone.
int64_t payloadBytes(mlir::RankedTensorType type);

/// Arrays that a kernel of `ops` reads and writes in HBM.
int64_t countOperands(llvm::ArrayRef<mlir::Operation *> ops);

/// Finds how to run `ops` (in program order, all in one block) as one kernel
/// whose blocks fit into `vmemBytes`: whole if that fits and moves little data;
/// around a large contraction, cut along its rows and columns; else along dimensions
/// in which all of them are parallel. Sums that are done in chunks are cut along these
/// in any case, innermost. Nothing if there is none.
std::optional<Blocking> findBlocking(llvm::ArrayRef<mlir::Operation *> ops, int64_t vmemBytes);

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_BLOCKING_H
