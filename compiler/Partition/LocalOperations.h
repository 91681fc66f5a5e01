// Operations of a sharded program as operations on the parts of one core.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_LOCALOPERATIONS_H
#define SYSTOLE_COMPILER_PARTITION_LOCALOPERATIONS_H

#include "compiler/Partition/Mesh.h"
#include "compiler/Partition/Propagation/ShardingRule.h"

#include "mlir/IR/Builders.h"

namespace systole::partition {

/// How an operation is divided along the factors of its rule.
struct FactorAxes {
  llvm::SmallVector<llvm::SmallVector<AxisPart>> axes; ///< by factor

  bool isDivided() const {
    return llvm::any_of(axes, [](const auto &of) { return !of.empty(); });
  }
  /// The division of a tensor that has these factors in its dimensions.
  Sharding of(const TensorFactorsOfDims &dims) const;
  /// The axes of the factors whose parts are terms of the result.
  llvm::SmallVector<AxisPart> reduced(const ShardingRule &rule) const;
};

/// The axes along which `op` is divided such that its results are as `results` says, and that the
/// parts of operands are summed where they lie; `operands` and `results` are null for whole
/// tensors.
FactorAxes axesFor(mlir::Operation *op, const ShardingRule &rule,
                   llvm::ArrayRef<const Sharding *> operands,
                   llvm::ArrayRef<const Sharding *> results);

/// Whether parts of the operation can be computed by themselves when it is divided so.
bool canDivide(mlir::Operation *op, const ShardingRule &rule, const FactorAxes &axes);

/// The operation on `operands`, the parts of one core, with results of types `types`. Sums of parts
/// are reduced over the cores that have the others.
llvm::SmallVector<mlir::Value> divideOperation(mlir::OpBuilder &b, mlir::Operation *op,
                                               const ShardingRule &rule, const FactorAxes &axes,
                                               const Mesh &mesh, mlir::ValueRange operands,
                                               llvm::ArrayRef<mlir::RankedTensorType> types);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_LOCALOPERATIONS_H
