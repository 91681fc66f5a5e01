// Rewrites elementwise operations on 64-bit integers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_WIDE64_ELEMENTWISE_H
#define SYSTOLE_COMPILER_LEGALIZE_WIDE64_ELEMENTWISE_H

#include "compiler/Legalize/Wide64/Splitter.h"

namespace systole::wide64 {

/// Rewrites `op` to the same operation on 32 bits if that is exact: a modular one, whose low bits
/// depend only on low bits, if its result fits; any other one if its operands fit, too.
bool rewriteNarrow(Splitter &s, mlir::Operation *op, bool isModular);

/// The minimum or the maximum of two numbers.
Words choose(Expressions &e, llvm::ArrayRef<Words> x, bool isSigned, bool takesLess);

/// Sets the result of `op`, in one or two words as its range requires.
inline void setResult(Splitter &s, Expressions &e, mlir::Operation *op, const Words &is) {
  mlir::Value result = op->getResult(0);
  if (mlir::Type narrow = s.narrowElement(result))
    s.set(result, {e.as(is.low, narrow), nullptr});
  else
    s.set(result, is);
}

/// Rewrites an operation whose operands and result are all 64-bit integers: `function` computes the
/// words of the result from those of the operands.
template <auto function, bool isModular = true>
llvm::LogicalResult elementwise(Splitter &s, mlir::Operation *op) {
  if (rewriteNarrow(s, op, isModular))
    return mlir::success();
  Expressions e(op);
  llvm::SmallVector<Words> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(s.wide(e, operand));
  setResult(s, e, op, function(e, operands, s.ranges.isSigned(op->getResult(0))));
  return mlir::success();
}

} // namespace systole::wide64

#endif // SYSTOLE_COMPILER_LEGALIZE_WIDE64_ELEMENTWISE_H
