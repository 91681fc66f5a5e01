// Parts of dimensions that are not divided evenly: those of core c are elements c * n to
// (c + 1) * n, where n is the size divided by the parts, rounded up. What lies behind the last
// element is padding of any value.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PADDEDPARTS_H
#define SYSTOLE_COMPILER_PARTITION_PADDEDPARTS_H

#include "compiler/Partition/DivisibleFactors.h"

#include "mlir/IR/Builders.h"

namespace systole::partition {

/// The size of all parts of dimension `d`, with padding.
int64_t paddedSize(mlir::RankedTensorType whole, const Sharding &sharding, size_t d);

/// Whether a dimension is divided into so many parts: evenly, or into no more than it has elements.
inline bool isDividedInto(int64_t size, int64_t parts) {
  return size % parts == 0 || size >= parts;
}

/// Whether parts of `op` along a factor may have padding: the factor is all of the dimensions that
/// have it, and where the operation adds up parts there is an element that adds nothing.
bool canPad(mlir::Operation *op, const ShardingRule &rule, int64_t factor);

/// The parts of operand `number` of `op`, of type `whole`, with elements that add nothing in place
/// of the padding of factors that the operation adds up.
mlir::Value withoutPadding(mlir::OpBuilder &b, mlir::Operation *op, const ShardingRule &rule,
                           unsigned number, mlir::Value part, const MeshSharding &sharding);

/// `value` with zeros behind its elements or without its last ones: with the dimensions `shape`.
mlir::Value resize(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                   llvm::ArrayRef<int64_t> shape);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PADDEDPARTS_H
