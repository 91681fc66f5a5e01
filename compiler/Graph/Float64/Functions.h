// Functions of f64 beyond arithmetic, evaluated in fixed-point numbers of 64 bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_FLOAT64_FUNCTIONS_H
#define SYSTOLE_COMPILER_GRAPH_FLOAT64_FUNCTIONS_H

#include "compiler/Graph/Float64/Doubles.h"

namespace systole::float64 {

/// Results are within 2 units in the last place. A fixed-point number "of n bits" has n bits before
/// the point and 64 - n behind it.
class Functions : public Doubles {
public:
  using Doubles::Doubles;

  Words exp(const Words &x);
  Words expm1(const Words &x);
  Words logistic(const Words &x);
  Words tanh(const Words &x);
  Words log(const Words &x);
  Words log1p(const Words &x);
  Words rsqrt(const Words &x);
  Words cbrt(const Words &x);
  Words sin(const Words &x) { return wave(x, /*isCosine=*/false); }
  Words cos(const Words &x) { return wave(x, /*isCosine=*/true); }
  Words tan(const Words &x);
  Words atan2(const Words &y, const Words &x);
  Words pow(const Words &x, const Words &y);

private:
  Words fixed(uint64_t value, const Words &like) { return wideNumber(value, like.low); }
  /// The high half of a product, off by less than 2 in the last bit.
  Words high(const Words &x, const Words &y) { return productHigh(x, y, /*isSticky=*/false); }
  /// c[0] x^n + ... + c[n], with all numbers of 0 bits. The first `narrow` steps, whose errors
  /// vanish in the later ones, have 32 bits.
  Words polynomial(llvm::ArrayRef<uint64_t> c, const Words &x, unsigned narrow);
  /// The same of -x if `isMinus`.
  Words signedPolynomial(llvm::ArrayRef<uint64_t> c, const Words &x, Value isMinus);
  /// c[n] - x (c[n-1] - x (c[n-2] - ...)).
  Words alternating(llvm::ArrayRef<uint64_t> c, const Words &x, unsigned narrow);
  template <bool isAlternating>
  Words evaluate(llvm::ArrayRef<uint64_t> c, const Words &x, unsigned narrow);
  /// One of a power of two of constants.
  Words lookUp(llvm::ArrayRef<uint64_t> table, Value index);
  /// The 64 bits that a Number rounds to, with the sign.
  Words rounded(Value sign, Number number);

  /// e^x as 2^power times a number of 1 bit in [1, 2).
  struct Power {
    Value power;
    Words factor;
  };
  Power powerOf(const Words &x);
  /// 2^y for a y of a word and 64 bits behind the point, or -y if `isMinus`.
  Power exp2Of(Value isMinus, Value whole, Words fraction);

  /// A number of 96 bits times 2^(scale - 95); if it is not zero, its highest two bits are not.
  struct Magnitude {
    Value isMinus, scale, low, middle, high;
  };
  /// The logarithm of the magnitude.
  Magnitude log2Of(const Words &x);

  /// The magnitude of e^x - 1 for a finite x below 2^11.
  Number powerLessOne(const Words &x);

  /// log(2^power (1 + f)), for f = fraction 2^(-64 - zeros), or -f if `isMinus`; `sum` is 2 + f of
  /// 2 bits.
  struct Logarithm {
    Value power, isMinus, zeros;
    Words fraction, sum;
  };
  Logarithm reduce(const Number &x);
  Words logOf(const Logarithm &x);

  /// |x| less the nearest multiple of pi / 2: `turns` of these, and rest 2^(-63 - zeros) more, or
  /// less if `isMinus`.
  struct Angle {
    Value turns, isMinus, zeros;
    Words rest;
  };
  Angle angleOf(const Words &x);
  /// The sine and the cosine of the rest.
  Number sineOf(const Angle &angle);
  Number cosineOf(const Angle &angle);
  Words wave(const Words &x, bool isCosine);
};

} // namespace systole::float64

#endif // SYSTOLE_COMPILER_GRAPH_FLOAT64_FUNCTIONS_H
