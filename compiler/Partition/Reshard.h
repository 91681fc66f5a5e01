// Brings tensors from one sharding to another, by collectives.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_RESHARD_H
#define SYSTOLE_COMPILER_PARTITION_RESHARD_H

#include "compiler/Partition/Mesh.h"

#include "mlir/IR/Builders.h"

namespace systole::partition {

/// The cores that differ in their part of dimension `d` alone, a row for each group, in the order
/// of parts.
mlir::DenseIntElementsAttr groupsAlong(mlir::Builder &b, const MeshSharding &sharding, size_t d);

/// A core's part of a tensor of type `whole`, of which it has the part `part`: by the collectives
/// of planReshard(). Between meshes of different orders of cores the tensor is gathered, unless
/// each part of one is a part of the other.
mlir::Value reshard(mlir::OpBuilder &b, mlir::Location loc, mlir::Value part,
                    mlir::RankedTensorType whole, const MeshSharding &from, const MeshSharding &to);

/// The sum over the cores along `axes` of what each has, or its combination by `body`.
mlir::Value reduceOver(mlir::OpBuilder &b, mlir::Location loc, mlir::Value part, const Mesh &mesh,
                       llvm::ArrayRef<AxisPart> axes, mlir::Region *body = nullptr);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_RESHARD_H
