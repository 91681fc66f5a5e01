// Operands of a product as sums of parts that the arrays take exactly.
//
// The arrays multiply bf16. A bf16 is one part; an f16 is two, an f32 one, two
// or three by the precision that is asked for; an integer is one part per byte.
// A product of sums is a sum of products of parts: each is a pass.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTPARTS_H
#define SYSTOLE_COMPILER_CODEGEN_DOTPARTS_H

#include "compiler/Codegen/Emitter.h"

namespace systole::codegen {

/// The parts of integers that a loop over passes takes: how far they are from bit 0, what cuts
/// off the bytes above, and how far their product is. Scalars.
struct DotBytes {
  mlir::Value lhsShift, lhsMask, rhsShift, rhsMask, sumShift;
};

/// One pass: the numbers of the parts, 0 the most significant of a float and
/// the least significant byte of an integer.
struct DotPass {
  int lhs, rhs;
  const DotBytes *bytes = nullptr; ///< instead of the numbers
};

class DotParts {
public:
  DotParts(mlir::Type lhs, mlir::Type rhs, unsigned precision);

  /// In the order in which their products are added.
  llvm::ArrayRef<DotPass> passes() const { return order; }
  bool isInteger() const { return integer; }
  /// Of integers: the bits of a pass, as `DotBytes` holds them.
  int lhsMask(DotPass pass) const { return pass.lhs + 1 < lhsCount ? 255 : -1; }
  int rhsMask(DotPass pass) const { return pass.rhs + 1 < rhsCount ? 255 : -1; }

  /// Part `pass.lhs` (`pass.rhs`) of loaded elements, as f32 for the arrays.
  mlir::Value lhsPart(Emitter &e, mlir::Value elements, DotPass pass) const;
  mlir::Value rhsPart(Emitter &e, mlir::Value elements, DotPass pass) const;
  /// Passes with equal kinds take equal parts of the operand.
  int lhsKind(DotPass pass) const { return kindOf(pass.lhs, pass); }
  int rhsKind(DotPass pass) const { return kindOf(pass.rhs, pass); }
  /// Results of the arrays in a pass as summands of the product.
  mlir::Value summand(Emitter &e, mlir::Value results, DotPass pass) const;

private:
  /// The most significant part is another one where infinities count.
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
