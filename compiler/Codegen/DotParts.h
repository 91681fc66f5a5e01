// Decomposes operands of a product into parts that the MXUs multiply exactly.
//
// The MXUs multiply bf16. A bf16 is one part; an f16 is two, an f32 one, two or three by the
// requested precision; an integer is one part per byte. A product of sums is a sum of products of
// parts: each of these is a pass.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTPARTS_H
#define SYSTOLE_COMPILER_CODEGEN_DOTPARTS_H

#include "compiler/Codegen/Emitter.h"

namespace systole::codegen {

/// The parts of integers in one iteration of a loop over passes, as scalars: their shift amounts,
/// the masks that clear higher bytes, and the shift amount of their product.
struct DotBytes {
  mlir::Value lhsShift, lhsMask, rhsShift, rhsMask, sumShift;
};

/// One pass: the numbers of its two parts, from 0 for the most significant part of a float and the
/// least significant byte of an integer.
struct DotPass {
  int lhs, rhs;
  const DotBytes *bytes = nullptr; ///< instead of the numbers
};

class DotParts {
public:
  DotParts(mlir::Type lhs, mlir::Type rhs, unsigned precision);

  /// Passes in the order in which their products are added.
  llvm::ArrayRef<DotPass> passes() const { return order; }
  bool isInteger() const { return integer; }
  /// For integers: the values of a pass for `DotBytes`.
  int lhsMask(DotPass pass) const { return pass.lhs + 1 < lhsCount ? 255 : -1; }
  int rhsMask(DotPass pass) const { return pass.rhs + 1 < rhsCount ? 255 : -1; }

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
    return !integer && pass.lhs == 0 && pass.rhs == 0 ? -1 : number;
  }
  mlir::Value part(Emitter &e, mlir::Value elements, int number, int count, DotPass pass) const;

  bool integer;
  int lhsCount, rhsCount;
  llvm::SmallVector<DotPass, 10> order;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_DOTPARTS_H
