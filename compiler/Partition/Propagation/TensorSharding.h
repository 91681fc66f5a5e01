// Shardings while they are propagated: with all that Shardy's attributes say.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PROPAGATION_TENSORSHARDING_H
#define SYSTOLE_COMPILER_PARTITION_PROPAGATION_TENSORSHARDING_H

#include "compiler/Partition/Propagation/Axes.h"

#include <deque>

namespace systole::partition {

/// A mesh and how shardings name it.
struct NamedMesh {
  Mesh mesh;
  mlir::Attribute name; ///< its symbol, or itself

  /// One device, on which callbacks are called. It says nothing about other values.
  bool isMaximal() const { return mesh.axes.empty() && !mesh.cores.empty(); }
  bool isEmpty() const { return mesh.axes.empty() && mesh.cores.empty(); }
};

/// How one dimension is divided.
struct DimSharding {
  AxisList axes;
  bool isClosed = false; ///< no axes may be added
  std::optional<int64_t> priority;
  bool operator==(const DimSharding &) const = default;
};

/// How a tensor is divided.
struct TensorSharding {
  const NamedMesh *mesh = nullptr;
  llvm::SmallVector<DimSharding> dims;
  AxisList replicated; ///< along which it is not divided
  AxisList unreduced;  ///< along which there are terms of it
  int64_t reduction = 0;
  bool operator==(const TensorSharding &) const = default;

  bool isFullyClosed() const {
    return llvm::all_of(dims, [](const DimSharding &dim) { return dim.isClosed; });
  }
  bool isDivided() const {
    return llvm::any_of(dims, [](const DimSharding &dim) { return !dim.axes.empty(); });
  }
  /// One on a mesh that says nothing.
  static TensorSharding open(const NamedMesh *mesh, size_t rank);
};

/// Decodes and encodes shardings. Equal meshes of different names are one.
class ShardingCoder {
public:
  /// An error at `op` if the attribute is no sharding. Axes of size 1 are left out.
  mlir::FailureOr<TensorSharding> decode(mlir::Operation *op, mlir::Attribute attribute);
  static mlir::Attribute encode(const TensorSharding &sharding, mlir::MLIRContext *context);
  static mlir::Attribute encode(llvm::ArrayRef<TensorSharding> perValue,
                                mlir::MLIRContext *context);

private:
  mlir::FailureOr<const NamedMesh *> meshOf(mlir::Operation *op, mlir::Attribute attribute);

  std::deque<NamedMesh> meshes;
  llvm::DenseMap<mlir::Attribute, const NamedMesh *> known;
};

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PROPAGATION_TENSORSHARDING_H
