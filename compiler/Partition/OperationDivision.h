// How an operation is divided among cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_OPERATIONDIVISION_H
#define SYSTOLE_COMPILER_PARTITION_OPERATIONDIVISION_H

#include "compiler/Model/SliceModel.h"
#include "compiler/Partition/DivisibleFactors.h"

namespace systole::partition {

/// The shardings of operands and results that follow from the axes of each factor.
struct OperationDivision {
  llvm::SmallVector<Axes> factors;
  llvm::SmallVector<Sharding> operands, results;
  /// The axes over which parts of results are combined by the operation's own body. Sums are terms
  /// in `results` instead.
  Axes reduced;
  bool isIndivisible = false; ///< a factor had axes along which the operation cannot be divided
};

/// The shardings of the values of an operation: null for whole operands, and for results that may
/// have any.
struct GivenShardings {
  llvm::SmallVector<const Sharding *> operands, results;
};

/// The cheapest of some divisions of `op`: as its results are given, or along axes of an operand
/// first, with sums of parts where they lie, or of whole contractions. Their cost is the time in
/// which operands and results are brought to and from it, and in which a part is computed.
OperationDivision chooseDivision(mlir::Operation *op, const ShardingRule &rule,
                                 const GivenShardings &given, const SliceModel &model);

/// The sharding that a result is brought to behind the division: the given one, or else its own
/// without unreduced axes.
Sharding shardingOfResult(const OperationDivision &division, const GivenShardings &given,
                          size_t result);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_OPERATIONDIVISION_H
