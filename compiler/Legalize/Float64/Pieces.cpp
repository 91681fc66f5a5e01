// Functions of f64 that are polynomials piece by piece, and arithmetic on their values.
// See docs/decisions/special-functions.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Functions.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;

//===----------------------------------------------------------------------===//
// Numbers that are not rounded
//===----------------------------------------------------------------------===//

Number Functions::normal(const Number &x) {
  Value zeros = leadingZeros(x.significand);
  return {subtract(x.exponent, zeros), normalize(x.significand, zeros)};
}

Number Functions::choose(Value mask, const Number &x, const Number &y) {
  return {select(mask, x.exponent, y.exponent), choose(mask, x.significand, y.significand)};
}

Number Functions::times(const Number &x, const Number &y) {
  Value e = subtract(add(x.exponent, y.exponent), number(kBias - 1, x.exponent));
  return {e, high(x.significand, y.significand)};
}

Number Functions::over(const Number &x, const Number &y) {
  Value e = add(subtract(x.exponent, y.exponent), number(kBias, x.exponent));
  return {e, quotientBits(x.significand, y.significand)};
}

Number Functions::scaled(const Number &x, int power) {
  return {add(x.exponent, number(power, x.exponent)), x.significand};
}

Number Functions::powerOfTwo(int power, Value like) {
  return {number(kBias + power, like), wideNumber(uint64_t(1) << 63, like)};
}

Functions::Signed Functions::choose(Value mask, const Signed &x, const Signed &y) {
  return {select(mask, x.isMinus, y.isMinus), choose(mask, x.value, y.value)};
}

// Both lose their last bit to leave room for the sum, in which a zero must not have the larger
// exponent.
Functions::Signed Functions::total(const Signed &x, const Signed &y) {
  Number first = normal(x.value), second = normal(y.value);
  Value one = number(1, x.isMinus), isSwapped = lessSigned(first.exponent, second.exponent);
  Signed large = choose(isSwapped, {y.isMinus, second}, {x.isMinus, first});
  Number small = choose(isSwapped, first, second);
  Value e = add(large.value.exponent, one);
  Words other = shiftRight(small.significand, subtract(e, small.exponent));
  Value differ = isNonZero(bitXor(x.isMinus, y.isMinus));
  Words sum = Expressions::add(shiftRight(large.value.significand, one), negateIf(differ, other));
  // A difference of numbers with the same exponent.
  Value isBelow = both(differ, isNegative(sum.high));
  return {bitXor(large.isMinus, bit(isBelow)), {e, negateIf(isBelow, sum)}};
}

Words Functions::rounded(const Signed &x) {
  Words result = rounded(shiftLeft(x.isMinus, number(31, x.isMinus)), x.value);
  Value none = zero(x.isMinus);
  return choose(isZero(x.value.significand), {none, none}, result);
}

Words Functions::fixedOf(const Number &x, int bits) {
  return shiftRight(x.significand, subtract(number(kBias + bits - 1, x.exponent), x.exponent));
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Functions::Position Functions::position(const Words &x, uint64_t middle, unsigned bits) {
  Value isMinus = less(x, fixed(middle, x), /*isSigned=*/false);
  Words distance = negateIf(isMinus, Expressions::subtract(x, fixed(middle, x)));
  return {isMinus, shiftLeft(distance, number(bits, x.low))};
}

// The terms of even and of odd orders are polynomials of the square of the distance d. A sum s of
// either sign is held as s + 1/2 in 0 bits: then (s + 1/2) d^2 - d^2 / 2 is the next product.
Number Functions::polynomialOf(const Pieces &pieces, Value piece, const Position &at) {
  Words square = high(at.distance, at.distance);
  Value one = number(1, piece);
  Words half = shiftRight(square, one);
  auto coefficient = [&](size_t order) {
    return lookUp(
        llvm::map_to_vector(pieces.coefficients, [&](ArrayRef<uint64_t> of) { return of[order]; }),
        piece);
  };
  auto sumFrom = [&](size_t order, size_t first) {
    Words sum = coefficient(order);
    while (order > first) {
      order -= 2;
      Words product = Expressions::subtract(high(sum, square), half);
      sum = Expressions::add(product, coefficient(order));
    }
    return sum;
  };
  size_t last = pieces.coefficients.front().size() - 1;
  Words even = sumFrom(last - last % 2, 0), odd = sumFrom(last - (last + 1) % 2, 1);
  Words slope = Expressions::subtract(high(odd, at.distance), shiftRight(at.distance, one));
  Words value = Expressions::add(even, negateIf(at.isMinus, slope));
  SmallVector<uint64_t> scales = llvm::map_to_vector(
      pieces.scales, [](int scale) { return uint64_t(uint32_t(kBias - 1 + scale)); });
  return {lookUp(scales, piece).low, value};
}

} // namespace systole::float64
