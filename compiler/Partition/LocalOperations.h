// Operations of a sharded program as operations on the parts of one core.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_LOCALOPERATIONS_H
#define SYSTOLE_COMPILER_PARTITION_LOCALOPERATIONS_H

#include "compiler/Partition/OperationDivision.h"

#include "mlir/IR/Builders.h"

namespace systole::partition {

/// The operation on `operands`, the parts of one core, with results of types `types`.
llvm::SmallVector<mlir::Value> divideOperation(mlir::OpBuilder &b, mlir::Operation *op,
                                               const OperationDivision &division, const Mesh &mesh,
                                               mlir::ValueRange operands,
                                               llvm::ArrayRef<mlir::RankedTensorType> types);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_LOCALOPERATIONS_H
