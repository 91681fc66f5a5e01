// Operations on terms of sums.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_TERMS_H
#define SYSTOLE_COMPILER_PARTITION_TERMS_H

#include "compiler/Partition/Mesh.h"

#include "mlir/IR/Builders.h"

namespace systole::partition {

/// Whether an operation sums over the factors that its results do not have, as a gather does whose
/// results are zeros but on the core that has the row.
bool isSum(mlir::Operation *op);

/// The operands with which the sums of an operation begin: of each sum one core alone has them.
llvm::SmallVector<unsigned> initialOperands(mlir::Operation *op);

/// Whether the operation on parts along these factors gives terms of its results, which it combines
/// itself: sums, and reductions whose initial value may be taken once for each part.
bool hasTerms(mlir::Operation *op);

/// The operands of which each core is to have a term along `axes`, such that the operation on terms
/// gives terms of its result; none if it gives others. Of a product that is the operand that is
/// given so, in `operands`, which is null for whole tensors.
llvm::SmallVector<unsigned> operandsOfTerms(mlir::Operation *op,
                                            llvm::ArrayRef<const Sharding *> operands,
                                            llvm::ArrayRef<AxisPart> axes);

/// The term that adds nothing.
mlir::Value zeros(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_TERMS_H
