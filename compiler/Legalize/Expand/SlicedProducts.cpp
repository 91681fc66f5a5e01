// Products of f64 on the matrix unit, as products of slices of seven bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/SlicedProducts.h"

#include "dialects/Layout/MachineShape.h"

#include <cmath>

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;
using enum ComparisonDirection;

namespace {

constexpr int64_t kSlices = 9, kSliceBits = 7;
/// The largest depth for which the sums of all slices' products are below 2^31.
constexpr int64_t kMostDepth = 1 << 13;
/// Extents that fill half of a tile.
constexpr int64_t kLeastExtent = kLanes / 2;

/// The vectors along the depth of an operand, [depth, batch, n], each with the exponent of its
/// largest element.
class Slices {
public:
  Slices(Tensors &t, Value x)
      : t(t), u32(t.b.getIntegerType(32, /*isSigned=*/false)),
        u64(t.b.getIntegerType(64, /*isSigned=*/false)), shape(shapeOf(x)) {
    Value bits = t.bitcast(x, u64);
    Value high = word(shifted<ShiftRightLogicalOp>(bits, 32)), size = mask(high, 0x7fffffff);
    isMinus = t.compare(NE, high, size);
    Value hasLow = t.convert(t.compare(NE, word(bits), number32(0)), u32);
    Value key = t.apply<OrOp>(size, hasLow);
    largest = t.reduce<MaxOp>(key, t.number(u32, 0), {0});

    // The significand with its highest bit at 2^62, shifted as its exponent is below the largest.
    Value field = shifted32(size, 20), isNormal = t.apply<MinOp>(field, number32(1));
    Value fraction = t.apply<AndOp>(bits, number64((int64_t(1) << 52) - 1));
    Value leading = shifted<ShiftLeftOp>(t.convert(isNormal, u64), 52);
    Value significand = shifted<ShiftLeftOp>(t.apply<OrOp>(fraction, leading), 10);
    Value most = t.spread(exponent(), shape, {1, 2});
    Value distance = t.apply<SubtractOp>(most, t.apply<MaxOp>(field, number32(1)));
    magnitude = t.apply<ShiftRightLogicalOp>(significand, t.convert(distance, u64));
  }

  /// The biased exponent of the largest element of each vector.
  Value exponent() {
    ArrayRef<int64_t> vectors = shapeOf(largest);
    Value field = t.apply<ShiftRightLogicalOp>(largest, t.number(u32, 20, vectors));
    return t.apply<MaxOp>(field, t.number(u32, 1, vectors));
  }
  /// Whether a vector has only zeros.
  Value areZeros() { return t.compare(EQ, largest, t.number(u32, 0, shapeOf(largest))); }
  /// Whether it has no infinity and no NaN.
  Value areFinite() { return t.compare(LT, largest, t.number(u32, 0x7ff00000, shapeOf(largest))); }

  /// Slice `number`, with the sign of the element.
  Value slice(int64_t number) {
    Type i8 = t.b.getIntegerType(8);
    Value part = word(shifted<ShiftRightLogicalOp>(magnitude, 63 - kSliceBits * (number + 1)));
    Value digit = t.convert(mask(part, (1 << kSliceBits) - 1), t.b.getI32Type());
    return t.convert(t.select(isMinus, t.apply<NegOp>(digit), digit), i8);
  }
  /// The highest eight bits of the magnitudes.
  Value rough() {
    return t.convert(word(shifted<ShiftRightLogicalOp>(magnitude, 55)), t.b.getBF16Type());
  }

private:
  Value number32(int64_t value) { return t.number(u32, value, shape); }
  Value number64(int64_t value) { return t.number(u64, value, shape); }
  Value word(Value bits) { return t.convert(bits, u32); }
  Value mask(Value x, int64_t bits) { return t.apply<AndOp>(x, number32(bits)); }
  Value shifted32(Value x, int64_t by) { return t.apply<ShiftRightLogicalOp>(x, number32(by)); }
  template <typename Op> Value shifted(Value x, int64_t by) { return t.apply<Op>(x, number64(by)); }

  Tensors &t;
  Type u32, u64;
  SmallVector<int64_t> shape;
  Value isMinus, magnitude, largest;
};

Value contract(Tensors &t, Value lhs, Value rhs, Type element) {
  auto numbers = DotDimensionNumbersAttr::get(t.b.getContext(), 1, 1, 0, 0);
  SmallVector<int64_t> shape = {shapeOf(lhs)[1], shapeOf(lhs)[2], shapeOf(rhs)[2]};
  return DotGeneralOp::create(t.b, t.loc, RankedTensorType::get(shape, element), lhs, rhs, numbers,
                              nullptr, nullptr);
}

/// All pairs of slices whose product starts at the same bit are one contraction: the slices are
/// concatenated along the depth, those of one side in reverse.
class SlicedProduct {
public:
  SlicedProduct(Tensors &t, Value lhs, Value rhs)
      : t(t), lhs(t, lhs), rhs(t, rhs), depth(shapeOf(lhs)[0]),
        shape({shapeOf(lhs)[1], shapeOf(lhs)[2], shapeOf(rhs)[2]}) {}

  // Bits that slices leave out are below 2^-58 of the product of the largest elements. If the sum
  // of the products' magnitudes is at least 2^-4 of that, their share is less than a rounding's.
  Value isAccurate() {
    constexpr int64_t least = 1 << 10;
    Type f32 = t.b.getF32Type();
    Value size = contract(t, lhs.rough(), rhs.rough(), f32);
    Value isLarge = t.compare(GE, size, t.number(f32, least, shape));
    Value isZero = t.apply<OrOp>(ofRows(lhs.areZeros()), ofColumns(rhs.areZeros()));
    Value isFinite = t.apply<AndOp>(ofRows(lhs.areFinite()), ofColumns(rhs.areFinite()));
    Value each = t.apply<AndOp>(isFinite, t.apply<OrOp>(isLarge, isZero));
    return t.reduce<AndOp>(each, t.number(t.b.getI1Type(), 1), {0, 1, 2});
  }

  Value product() {
    Type i64 = t.b.getI64Type(), f64 = t.b.getF64Type();
    SmallVector<Value> left, right;
    for (int64_t i = 0; i < kSlices; ++i) {
      left.push_back(lhs.slice(i));
      right.push_back(rhs.slice(kSlices - 1 - i));
    }
    Value lefts = t.concatenate(left, 0), rights = t.concatenate(right, 0);
    // Those of the first four, and those of the others, fit 64 bits each.
    constexpr int64_t firsts = 4;
    Value sums[2];
    for (int64_t i = 0; i < kSlices; ++i) {
      int64_t count = (i + 1) * depth, last = i < firsts ? firsts - 1 : kSlices - 1;
      Value sum = contract(t, t.slice(lefts, 0, 0, count),
                           t.slice(rights, 0, kSlices * depth - count, count), t.b.getI32Type());
      sum =
          t.apply<ShiftLeftOp>(t.convert(sum, i64), t.number(i64, kSliceBits * (last - i), shape));
      Value &total = sums[i >= firsts];
      total = total ? t.apply<AddOp>(total, sum) : sum;
    }
    constexpr int64_t apart = kSliceBits * (kSlices - firsts);
    Value small =
        t.apply<MulOp>(t.convert(sums[1], f64), t.real(f64, std::ldexp(1, -apart), shape));
    Value sum = t.apply<AddOp>(t.convert(sums[0], f64), small);

    // The exponent in two halves, neither of which overflows.
    constexpr int64_t bias = 1023, bits = 2 * (kSliceBits - 1) + kSliceBits * (firsts - 1);
    Type i32 = t.b.getI32Type();
    auto number = [&](int64_t value) { return t.number(i32, value, shape); };
    Value exponent = t.apply<AddOp>(t.convert(ofRows(lhs.exponent()), i32),
                                    t.convert(ofColumns(rhs.exponent()), i32));
    exponent = t.apply<SubtractOp>(exponent, number(2 * bias + bits));
    Value half = t.apply<ShiftRightArithmeticOp>(exponent, number(1));
    for (Value part : {half, Value(t.apply<SubtractOp>(exponent, half))}) {
      Value field = t.apply<AddOp>(t.apply<MaxOp>(part, number(1 - bias)), number(bias));
      Value power = t.apply<ShiftLeftOp>(t.convert(field, i64), t.number(i64, 52, shape));
      sum = t.apply<MulOp>(sum, t.bitcast(power, f64));
    }
    return sum;
  }

private:
  Value ofRows(Value value) { return t.spread(value, shape, {0, 1}); }
  Value ofColumns(Value value) { return t.spread(value, shape, {0, 2}); }

  Tensors &t;
  Slices lhs, rhs;
  int64_t depth;
  SmallVector<int64_t> shape;
};

} // namespace

bool isForSlices(Value lhs, Value rhs) {
  int64_t depth = shapeOf(lhs)[0];
  return depth <= kMostDepth && std::min({depth, shapeOf(lhs)[2], shapeOf(rhs)[2]}) >= kLeastExtent;
}

Value multiplySlices(Tensors &t, Value lhs, Value rhs, function_ref<Value()> otherwise) {
  SlicedProduct sliced(t, lhs, rhs);
  Value isAccurate = sliced.isAccurate();
  auto type =
      RankedTensorType::get({shapeOf(lhs)[1], shapeOf(lhs)[2], shapeOf(rhs)[2]}, t.b.getF64Type());
  auto choice = IfOp::create(t.b, t.loc, TypeRange(type), isAccurate);
  OpBuilder::InsertionGuard guard(t.b);
  t.b.createBlock(&choice.getTrueBranch());
  ReturnOp::create(t.b, t.loc, sliced.product());
  t.b.createBlock(&choice.getFalseBranch());
  ReturnOp::create(t.b, t.loc, otherwise());
  return choice.getResult(0);
}

} // namespace systole::expansion
