// Between whole tensors, which all cores have, and the parts of cores.
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

/// The whole tensor, gathered along each divided dimension.
mlir::Value gatherParts(mlir::OpBuilder &b, mlir::Location loc, mlir::Value part,
                        const MeshSharding &sharding);

/// Each core's part, of type `type`, of a tensor that all have.
mlir::Value takePart(mlir::OpBuilder &b, mlir::Location loc, mlir::Value whole,
                     const MeshSharding &sharding, mlir::RankedTensorType type);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_RESHARD_H
