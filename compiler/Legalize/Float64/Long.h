// Arithmetic on integers of several words.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_FLOAT64_LONG_H
#define SYSTOLE_COMPILER_LEGALIZE_FLOAT64_LONG_H

#include "compiler/Legalize/Float64/Functions.h"

namespace systole::float64 {

/// Words of a number, the lowest first.
using Digits = llvm::SmallVector<mlir::Value>;

/// Integers of several words.
class Long {
public:
  using Value = mlir::Value;

  explicit Long(Functions &f) : f(f) {}

  Digits add(const Digits &x, const Digits &y) {
    Value none = f.zero(x[0]), carry = none;
    Digits sum;
    for (auto [a, b] : llvm::zip_equal(x, y)) {
      Words both = f.Doubles::add(Words{a, none}, Words{b, none});
      both = f.Doubles::add(both, Words{carry, none});
      sum.push_back(both.low);
      carry = both.high;
    }
    return sum;
  }

  Digits negateIf(Value mask, const Digits &x) {
    Value flip = f.select(mask, f.number(~0u, x[0]), f.zero(x[0]));
    Digits flipped, one(x.size(), f.zero(x[0]));
    for (Value word : x)
      flipped.push_back(f.bitXor(word, flip));
    one[0] = f.bit(mask);
    return add(flipped, one);
  }

  Digits choose(Value mask, const Digits &x, const Digits &y) {
    return llvm::map_to_vector(llvm::zip_equal(x, y), [&](auto pair) {
      return f.select(mask, std::get<0>(pair), std::get<1>(pair));
    });
  }

  /// By less than 128.
  Digits shiftRight(Digits x, Value by) {
    Value none = f.zero(by);
    for (unsigned words : {2u, 1u}) {
      Value isFar = f.isNonZero(f.bitAnd(by, f.number(32 * words, none)));
      Digits far;
      for (size_t i = 0; i < x.size(); ++i)
        far.push_back(i + words < x.size() ? x[i + words] : none);
      x = choose(isFar, far, x);
    }
    Value near = f.bitAnd(by, f.number(31, none)), rest = f.subtract(f.number(32, none), near);
    for (size_t i = 0; i < x.size(); ++i) {
      Value above = i + 1 < x.size() ? f.Expressions::shiftLeft(x[i + 1], rest) : none;
      x[i] = f.bitOr(f.Expressions::shiftRight(x[i], near), above);
    }
    return x;
  }

  /// By less than 64.
  Digits shiftLeft(Digits x, Value by) {
    Value none = f.zero(by);
    Value isFar = f.isNonZero(f.bitAnd(by, f.number(32, none)));
    Digits far = {none};
    far.append(x.begin(), x.end() - 1);
    x = choose(isFar, far, x);
    Value near = f.bitAnd(by, f.number(31, none)), rest = f.subtract(f.number(32, none), near);
    for (size_t i = x.size(); i-- > 0;) {
      Value below = i > 0 ? f.Expressions::shiftRight(x[i - 1], rest) : none;
      x[i] = f.bitOr(f.Expressions::shiftLeft(x[i], near), below);
    }
    return x;
  }

  Digits multiply(const Digits &x, const Digits &y) {
    Value none = f.zero(x[0]);
    Digits product(x.size() + y.size(), none);
    for (size_t i = 0; i < x.size(); ++i) {
      Value carry = none;
      for (size_t j = 0; j < y.size(); ++j) {
        Words sum = f.Doubles::add(Words{f.multiply(x[i], y[j]), f.multiplyHigh(x[i], y[j])},
                                   Words{product[i + j], none});
        sum = f.Doubles::add(sum, Words{carry, none});
        product[i + j] = sum.low;
        carry = sum.high;
      }
      product[i + y.size()] = carry;
    }
    return product;
  }

private:
  Functions &f;
};

/// The three highest words.
inline Digits highest(const Digits &x) {
  return Digits(llvm::ArrayRef<mlir::Value>(x).take_back(3));
}

} // namespace systole::float64

#endif // SYSTOLE_COMPILER_LEGALIZE_FLOAT64_LONG_H
