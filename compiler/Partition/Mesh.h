// Meshes of cores, and how tensors are divided among them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_MESH_H
#define SYSTOLE_COMPILER_PARTITION_MESH_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace systole::partition {

/// Named axes, in row-major order, and the core at each position.
struct Mesh {
  struct Axis {
    llvm::StringRef name;
    int64_t size;
    bool operator==(const Axis &) const = default;
  };
  llvm::SmallVector<Axis> axes;
  llvm::SmallVector<int64_t> cores; ///< by position

  bool operator==(const Mesh &) const = default;
  int64_t size() const { return int64_t(cores.size()); }
  /// The axis of this name; null if there is none.
  const Axis *find(llvm::StringRef name) const;
  /// The coordinate of a core along an axis.
  int64_t coordinate(int64_t core, llvm::StringRef axis) const;
};

/// The `sdy.mesh` that an attribute is or names; an error at `op` if there is none.
mlir::FailureOr<Mesh> meshOf(mlir::Operation *op, mlir::Attribute meshOrSymbol);

/// An axis, or the part of one that is `size` long behind `before` positions of its larger parts.
struct AxisPart {
  llvm::StringRef name;
  int64_t before = 1, size = 1;
  bool operator==(const AxisPart &) const = default;
  bool overlaps(const AxisPart &other) const {
    return name == other.name && before < other.before * other.size && other.before < before * size;
  }
};

/// The number of positions along all of them, and which of these a core has.
int64_t partsOf(llvm::ArrayRef<AxisPart> axes);
int64_t placeAlong(const Mesh &mesh, llvm::ArrayRef<AxisPart> axes, int64_t core);

/// How one tensor is divided: by dimension the axes, the major one first. Along unreduced axes each
/// core has a term of it: the tensor is the sum of them.
struct Sharding {
  llvm::SmallVector<llvm::SmallVector<AxisPart>> dims;
  llvm::SmallVector<AxisPart> unreduced = {};
  bool operator==(const Sharding &) const = default;

  bool isDivided() const {
    return llvm::any_of(dims, [](const auto &dim) { return !dim.empty(); });
  }
  /// Whether each core has the whole tensor.
  bool isWhole() const { return !isDivided() && unreduced.empty(); }
  /// In how many parts dimension `d` is.
  int64_t parts(size_t d) const { return partsOf(dims[d]); }
  /// Which of them a core has.
  int64_t partOf(const Mesh &mesh, int64_t core, size_t d) const {
    return placeAlong(mesh, dims[d], core);
  }
  /// The same along those axes alone that `keeps` accepts.
  Sharding along(llvm::function_ref<bool(llvm::StringRef)> keeps) const;
};

/// A sharding with its mesh.
struct MeshSharding {
  Mesh mesh;
  Sharding sharding;
  bool operator==(const MeshSharding &) const = default;
};

/// The mesh of a sharding.
mlir::FailureOr<Mesh> meshOfSharding(mlir::Operation *op, mlir::Attribute attribute);

/// The device of a sharding whose mesh is that device alone; nothing for other meshes.
mlir::FailureOr<std::optional<int64_t>> onlyDeviceOf(mlir::Operation *op, mlir::Attribute sharding);

/// Decodes `sdy.sharding` of a tensor of a rank; an error at `op` if it is none.
mlir::FailureOr<MeshSharding> shardingOf(mlir::Operation *op, mlir::Attribute attribute,
                                         int64_t rank);

/// The elements of `sdy.sharding_per_value`, and the names of `sdy.manual_axes`.
llvm::ArrayRef<mlir::Attribute> shardingsOf(mlir::Attribute perValue);
llvm::SmallVector<llvm::StringRef> axisNamesOf(mlir::Attribute manualAxes);

/// The type of one core's part, with padding where a dimension is not divided evenly
/// (PaddedParts.h); nothing for a sharding of another rank, and for sizes that are not known.
std::optional<mlir::RankedTensorType> paddedPart(mlir::RankedTensorType whole,
                                                 const Sharding &sharding);

/// The type of one core's part; an error at `op` if a dimension is not divided evenly.
mlir::FailureOr<mlir::RankedTensorType> partType(mlir::Operation *op, mlir::RankedTensorType whole,
                                                 const Sharding &sharding);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_MESH_H
