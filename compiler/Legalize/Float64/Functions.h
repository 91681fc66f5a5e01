// Functions of f64 beyond arithmetic, evaluated in fixed-point numbers of 64 bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_FLOAT64_FUNCTIONS_H
#define SYSTOLE_COMPILER_LEGALIZE_FLOAT64_FUNCTIONS_H

#include "compiler/Legalize/Float64/Doubles.h"

namespace systole::float64 {

/// Results are within 2 units in the last place, but those of lgamma and digamma of negative
/// numbers that are much smaller than the terms of which they are a difference. A fixed-point
/// number "of n bits" has n bits before the point and 64 - n behind it.
class Functions : public Doubles {
public:
  using Doubles::Doubles;

  Words exp(const Words &x);
  Words expm1(const Words &x);
  Words logistic(const Words &x);
  Words tanh(const Words &x);
  Words cosh(const Words &x);
  Words sinh(const Words &x);
  Words acosh(const Words &x);
  Words log(const Words &x);
  Words log1p(const Words &x);
  Words rsqrt(const Words &x);
  Words cbrt(const Words &x);
  Words sin(const Words &x) { return wave(x, /*isCosine=*/false); }
  Words cos(const Words &x) { return wave(x, /*isCosine=*/true); }
  Words tan(const Words &x);
  Words atan2(const Words &y, const Words &x);
  Words pow(const Words &x, const Words &y);
  Words erf(const Words &x);
  Words erfc(const Words &x);
  Words erfInv(const Words &x);
  Words besselI1e(const Words &x);
  Words lgamma(const Words &x);
  Words digamma(const Words &x);

private:
  using Doubles::choose;
  Words fixed(uint64_t value, const Words &like) { return wideNumber(value, like.low); }
  /// The high half of a product, less by up to 3 in the last bit: without what only carries follow
  /// from.
  Words high(const Words &x, const Words &y);
  /// c[0] x^n + ... + c[n], with all numbers of 0 bits. The first `narrow` steps, whose errors
  /// vanish in the later ones, have 32 bits.
  Words polynomial(llvm::ArrayRef<uint64_t> c, const Words &x, unsigned narrow);
  /// The same of -x if `isMinus`.
  Words signedPolynomial(llvm::ArrayRef<uint64_t> c, const Words &x, Value isMinus);
  /// c[n] - x (c[n-1] - x (c[n-2] - ...)).
  Words alternating(llvm::ArrayRef<uint64_t> c, const Words &x, unsigned narrow);
  template <bool isAlternating>
  Words evaluate(llvm::ArrayRef<uint64_t> c, const Words &x, unsigned narrow);
  /// One of several constants.
  Words lookUp(llvm::ArrayRef<uint64_t> table, Value index);
  /// The 64 bits that a Number rounds to, with the sign.
  Words rounded(Value sign, const Number &number);

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
  /// Of 1 + x, or of 1 - x if `isMinus`.
  Logarithm reduceNearOne(Value isMinus, const Number &x);
  /// The magnitude.
  Number logOf(const Logarithm &x, Value &isMinus);
  Words roundedLogOf(const Logarithm &x);

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

  /// A number with its sign, 0 or 1.
  struct Signed {
    Value isMinus;
    Number value;
  };
  Value signBit(const Words &x) { return shiftRight(x.high, number(31, x.high)); }
  /// A zero is positive.
  Words rounded(const Signed &x);
  Signed choose(Value mask, const Signed &x, const Signed &y);
  Signed total(const Signed &x, const Signed &y);

  // Numbers that are not rounded: products have up to one leading zero more than both factors, and
  // divisors none.
  Number normal(const Number &x);
  Number choose(Value mask, const Number &x, const Number &y);
  Number times(const Number &x, const Number &y);
  Number over(const Number &x, const Number &y);
  Number scaled(const Number &x, int power);
  Number powerOfTwo(int power, Value like);
  /// A number below 2^bits, of that many bits.
  Words fixedOf(const Number &x, int bits);

  /// A positive function as a polynomial on each of several intervals.
  struct Pieces {
    llvm::SmallVector<llvm::ArrayRef<uint64_t>> coefficients;
    llvm::ArrayRef<int> scales; ///< powers of 2
  };
  template <size_t pieces, size_t terms>
  static Pieces piecesOf(const uint64_t (&coefficients)[pieces][terms],
                         const int (&scales)[pieces]) {
    return {llvm::SmallVector<llvm::ArrayRef<uint64_t>>(std::begin(coefficients),
                                                        std::end(coefficients)),
            scales};
  }
  /// The distance of at most 1/2 from the middle of a piece, of 0 bits.
  struct Position {
    Value isMinus;
    Words distance;
  };
  /// Of a number of `bits` bits.
  Position position(const Words &x, uint64_t middle, unsigned bits);
  Number polynomialOf(const Pieces &pieces, Value piece, const Position &at);

  /// e^(-x^2) where `isUsed` is true.
  Number gaussOf(const Number &x, Value isUsed);
  /// erfc(|x|) where `isFar` is true, else erf(|x|).
  struct Error {
    Value isFar;
    Number value;
  };
  Error errorOf(const Words &x);

  /// Whether a series in 1 / x takes the place of a piece.
  Value isFarGamma(const Number &x);
  /// `inverse` becomes 8 / x.
  Position positionIn(const Number &x, Number &inverse);
  Signed lgammaRight(const Number &x);
  Signed digammaRight(const Number &x);
  /// The distance of |x| from the nearest integer, which is above it if `isAbove`.
  struct Fraction {
    Value isAbove;
    Words bits; ///< of 0 bits
    Number value;
  };
  Fraction fractionOf(const Number &x);
  /// sin(pi f) / pi for f up to 1/2, in both forms.
  Number sineOfPi(const Words &f, const Number &value);
};

} // namespace systole::float64

#endif // SYSTOLE_COMPILER_LEGALIZE_FLOAT64_FUNCTIONS_H
