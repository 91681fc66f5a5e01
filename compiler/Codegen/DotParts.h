// Decomposes operands of a product into the parts of its passes (compiler/Model/ProductPasses.h).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTPARTS_H
#define SYSTOLE_COMPILER_CODEGEN_DOTPARTS_H

#include "compiler/Codegen/Emitter.h"
#include "compiler/Model/ProductPasses.h"

namespace systole::codegen {

/// The parts of integers in one iteration of a loop over passes, as scalars: their shift amounts
/// and the masks that clear higher bytes.
struct DotBytes {
  mlir::Value lhsShift, lhsMask, rhsShift, rhsMask;
};

/// One pass: the numbers of its two parts, as in ProductPasses. In a loop over passes they only say
/// that it is not the first: scalars select the parts.
struct DotPass {
  int lhs, rhs;
  mlir::Value sumShift = {};       ///< of integers: the shift amount of the product
  const DotBytes *bytes = nullptr; ///< of integers that are not split beforehand
};

class DotParts {
public:
  /// `exchanged`: passes are in the order of the product of `rhs` and `lhs`.
  DotParts(mlir::Type lhs, mlir::Type rhs, unsigned precision, bool exchanged);

  /// Passes in the order in which their products are added.
  llvm::ArrayRef<DotPass> passes() const { return order; }
  bool isInteger() const { return all.isInteger; }
  /// Whether all passes but the first are a loop.
  bool areLoop(const DotShape &shape) const { return all.areLoop(shape); }
  /// For integers: the values of a pass for `DotBytes`.
  int lhsMask(DotPass pass) const { return pass.lhs + 1 < all.lhsParts ? 255 : -1; }
  int rhsMask(DotPass pass) const { return pass.rhs + 1 < all.rhsParts ? 255 : -1; }

  /// Part `pass.lhs` (`pass.rhs`) of loaded elements, as f32 for the MXUs.
  mlir::Value lhsPart(Emitter &e, mlir::Value elements, DotPass pass) const;
  mlir::Value rhsPart(Emitter &e, mlir::Value elements, DotPass pass) const;
  /// Passes of equal kinds use the same part of the operand.
  int lhsKind(DotPass pass) const { return kindOf(pass.lhs, pass); }
  int rhsKind(DotPass pass) const { return kindOf(pass.rhs, pass); }
  /// Converts the MXUs' results of a pass to summands of the product.
  mlir::Value summand(Emitter &e, mlir::Value results, DotPass pass) const;

private:
  /// The most significant part differs in the pass that includes infinities.
  int kindOf(int number, DotPass pass) const {
    return !all.isInteger && pass.lhs == 0 && pass.rhs == 0 ? -1 : number;
  }
  mlir::Value part(Emitter &e, mlir::Value elements, int number, int count, DotPass pass) const;

  ProductPasses all;
  llvm::SmallVector<DotPass, 10> order;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_DOTPARTS_H
