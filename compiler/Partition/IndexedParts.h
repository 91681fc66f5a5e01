// Gathers and scatters along divided dimensions: indices that are relative to a core's part.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_INDEXEDPARTS_H
#define SYSTOLE_COMPILER_PARTITION_INDEXEDPARTS_H

#include "compiler/Partition/Mesh.h"

#include "dialects/StableHLO/Imported.h"

#include "mlir/IR/Builders.h"

namespace systole::partition {

/// Makes `part`, the gather `whole` of one core from its part of an array that is divided as
/// `sharding` says, read at positions within that part. The result: zeros for positions that are in
/// other parts. Nothing changes if no dimension that is indexed is divided.
mlir::Value gatherFromPart(mlir::OpBuilder &b, stablehlo::GatherOp part, stablehlo::GatherOp whole,
                           const Sharding &sharding, const Mesh &mesh);

/// Makes `part`, the scatter `whole` of one core to its part of an array, write at positions within
/// that part: updates of other parts are outside of it, where a scatter does nothing.
void scatterToPart(mlir::OpBuilder &b, stablehlo::ScatterOp part, stablehlo::ScatterOp whole,
                   const Sharding &sharding, const Mesh &mesh);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_INDEXEDPARTS_H
