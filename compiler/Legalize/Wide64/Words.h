// Arithmetic on pairs of 32-bit words.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_WIDE64_WORDS_H
#define SYSTOLE_COMPILER_LEGALIZE_WIDE64_WORDS_H

#include "compiler/Tensor/Tensors.h"

namespace systole::wide64 {

/// The words of a tensor of 64-bit integers. Two words are of ui32, for signed integers too; a
/// single word, `low`, is of i32 or ui32 and holds the value itself.
struct Words {
  mlir::Value low, high;
};

/// Builds expressions of one shape before an operation. Operands and results are ui32 unless stated
/// otherwise; operations that a zero operand makes trivial are folded.
class Expressions {
public:
  using Value = mlir::Value;
  using Direction = stablehlo::ComparisonDirection;

  explicit Expressions(mlir::Operation *op);

  expansion::Tensors t;
  const mlir::Type i1, i32, u32;

  /// A ui32 constant with the shape of `like`.
  Value number(uint32_t value, Value like) {
    return t.number(u32, static_cast<int32_t>(value), shapeOf(like));
  }
  Value zero(Value like) { return number(0, like); }
  static bool isZero(Value value);

  /// Bitcasts to another 32-bit element type.
  Value as(Value word, mlir::Type element);
  Value word(Value value) { return as(value, u32); }
  /// A predicate as 0 or 1.
  Value bit(Value predicate) { return t.convert(predicate, u32); }

  Value add(Value x, Value y);
  Value subtract(Value x, Value y);
  Value multiply(Value x, Value y);
  Value multiplyHigh(Value x, Value y);
  Value bitOr(Value x, Value y);
  Value bitAnd(Value x, Value y) { return t.apply<stablehlo::AndOp>(x, y); }
  Value bitXor(Value x, Value y) { return t.apply<stablehlo::XorOp>(x, y); }
  Value both(Value p, Value q) { return t.apply<stablehlo::AndOp>(p, q); }
  Value either(Value p, Value q) { return t.apply<stablehlo::OrOp>(p, q); }
  Value invert(Value x) { return t.apply<stablehlo::NotOp>(x); }
  /// Amounts of 32 and more, including negative ones, shift all bits out.
  Value shiftLeft(Value x, Value by);
  Value shiftRight(Value x, Value by);
  /// The sign bit of `x` in all bits.
  Value signs(Value x);
  Value less(Value x, Value y) { return t.compare(Direction::LT, x, y); }
  Value lessSigned(Value x, Value y) { return t.compare(Direction::LT, as(x, i32), as(y, i32)); }
  Value equal(Value x, Value y) { return t.compare(Direction::EQ, x, y); }
  Value isNegative(Value x) { return lessSigned(x, zero(x)); }
  Value isNonZero(Value x) { return t.compare(Direction::NE, x, zero(x)); }
  Value select(Value mask, Value x, Value y) { return x == y ? x : t.select(mask, x, y); }

  // Arithmetic on pairs of words, modulo 2^64.
  Words wideNumber(uint64_t value, Value like) {
    return {number(static_cast<uint32_t>(value), like),
            number(static_cast<uint32_t>(value >> 32), like)};
  }
  Words add(const Words &x, const Words &y);
  Words subtract(const Words &x, const Words &y);
  Words multiply(const Words &x, const Words &y);
  Words negate(const Words &x);
  /// -x if `mask` is true, else x.
  Words negateIf(Value mask, const Words &x) { return select(mask, negate(x), x); }
  Words select(Value mask, const Words &x, const Words &y) {
    return {select(mask, x.low, y.low), select(mask, x.high, y.high)};
  }
  Value less(const Words &x, const Words &y, bool isSigned);
  Value equal(const Words &x, const Words &y);
  Value isZero(const Words &x) { return equal(bitOr(x.low, x.high), zero(x.low)); }
  /// The amount is less than 64.
  Words shiftLeft(const Words &x, Value by);
  Words shiftRight(const Words &x, Value by);
  /// Unsigned division; division by 0 gives all ones and the remainder x.
  Words divide(const Words &x, const Words &y, Words &rest);
  /// The f32 nearest to an unsigned integer, or within a relative error of 2^-23.
  Value roughReal(const Words &x);
  Value real(double value, Value like) { return t.real(t.b.getF32Type(), value, shapeOf(like)); }
  template <typename Op> Value apply(Value x, Value y) { return t.apply<Op>(x, y); }
  /// Converts an f32 in [0, 2^64), rounding down.
  Words fromReal(Value x);
};

} // namespace systole::wide64

#endif // SYSTOLE_COMPILER_LEGALIZE_WIDE64_WORDS_H
