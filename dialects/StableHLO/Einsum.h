// Einstein's notation for sums of products.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_EINSUM_H
#define SYSTOLE_DIALECTS_STABLEHLO_EINSUM_H

#include "dialects/StableHLO/Verify.h"

namespace systole::stablehlo {

/// An equation such as `ab,bc->ac`. A label is the number of a letter; those of the dimensions that
/// an ellipsis stands for count down from -1, the last one.
struct Einsum {
  using Labels = llvm::SmallVector<int64_t>;

  llvm::SmallVector<Labels, 2> operands;
  Labels result;

  /// Reads the equation of operands of these types.
  static llvm::FailureOr<Einsum> parse(const Refusal &refuse, llvm::StringRef text,
                                       mlir::TypeRange operands);

  /// Checks that equal labels have one size, and that the result has those of its labels.
  llvm::LogicalResult check(const Refusal &refuse, mlir::TypeRange operandTypes,
                            mlir::RankedTensorType resultType) const;

  /// The size of a label that an operand has; dynamic if no operand knows it.
  int64_t sizeOf(int64_t label, mlir::TypeRange operandTypes) const;
};

} // namespace systole::stablehlo

#endif // SYSTOLE_DIALECTS_STABLEHLO_EINSUM_H
