// The refs of a Mosaic kernel: memrefs as parts of a kernel's buffers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MOSAIC_REFS_H
#define SYSTOLE_COMPILER_MOSAIC_REFS_H

#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace systole::mosaic {

/// An index on the scalar unit: an i32, null for 0, plus a constant.
struct Index {
  mlir::Value value = nullptr;
  int64_t constant = 0;

  bool isConstant() const { return !value; }
  bool operator==(const Index &other) const = default;
};

/// A scalar as an index: constants are recognized.
Index indexOf(mlir::Value scalar);
Index add(mlir::OpBuilder &b, mlir::Location loc, const Index &x, const Index &y);
Index multiply(mlir::OpBuilder &b, mlir::Location loc, const Index &x, int64_t factor);
/// The index as an i32.
mlir::Value materialize(mlir::OpBuilder &b, mlir::Location loc, const Index &index);

/// A part of a buffer in VMEM, SMEM or HBM: the box that begins at element `first[d]` of dimension
/// d of the buffer. Dimension i of the memref is dimension `dimOf[i]` of the buffer, or none if
/// that is -1: it has one element. Dimensions of the buffer that are none of the memref have one
/// element in the box.
struct Ref {
  mlir::Value buffer;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> dimOf;
  llvm::SmallVector<Index> first;
  /// The buffer is [..., C / 128, R, 128] for a memref of [..., R, C]: `dimOf` of the last
  /// dimension is that of the elements within a panel.
  bool isPanels = false;
  /// The memref's element, of a memref that names the bits of the buffer's elements anew
  /// (tpu.memref_bitcast); else null. Elements that share a word are rows of the last dimension but
  /// one, both of the memref and of the buffer.
  mlir::Type viewed = nullptr;
  /// A dimension of the memref whose size is the scalar `count`, at most that in `shape`; -1 if all
  /// sizes are known.
  int64_t counted = -1;
  mlir::Value count = nullptr;

  /// All of a buffer.
  static Ref whole(mlir::Value buffer);

  kernel::BufferType type() const { return llvm::cast<kernel::BufferType>(buffer.getType()); }
  /// The same box with elements of another width; nothing if its rows are no rows of the buffer, or
  /// are not divided evenly.
  std::optional<Ref> bitcast(mlir::Type element, llvm::ArrayRef<int64_t> shape) const;
  /// The same box as a memref of the buffer's elements; nothing if that is not known.
  std::optional<Ref> inElementsOfBuffer() const;
  /// Rows of the buffer for each of the memref, and the reverse: one of them is 1.
  int64_t rowsOfBuffer() const;
  int64_t rowsOfMemref() const;
  /// Whether the box of `sizes` elements from `begin` on can be named: of panels, whole ones.
  bool hasSlice(llvm::ArrayRef<Index> begin, llvm::ArrayRef<int64_t> sizes) const;
  /// The box of `sizes` elements of the memref from `begin` on, where there is one.
  Ref slice(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<Index> begin,
            llvm::ArrayRef<int64_t> sizes) const;
  /// The same box without some dimensions of one element: a memref of `shape`, in which the size of
  /// the counted dimension is dynamic. Nothing if that is not so.
  std::optional<Ref> squeeze(llvm::ArrayRef<int64_t> shape) const;
  /// The elements of the box by dimension of the buffer.
  llvm::SmallVector<int64_t> box() const;
  /// Whether the box is the whole buffer.
  bool isWhole() const;
};

/// Semaphores for a memref of them.
mlir::Value allocateSemaphores(mlir::OpBuilder &b, mlir::Location loc, mlir::MemRefType type);

} // namespace systole::mosaic

#endif // SYSTOLE_COMPILER_MOSAIC_REFS_H
