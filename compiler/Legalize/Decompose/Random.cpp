// Decomposes random numbers into random bits and arithmetic.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Decompose/Decompose.h"

#include <cmath>

using namespace mlir;

namespace systole::decomposition {

using namespace stablehlo;

namespace {

/// The words of Philox's state: the key, then the counter, of whose words the first one counts
/// blocks.
constexpr int64_t kKeyWords = 2, kStateWords = 6;

IntegerType unsignedType(Tensors &t, unsigned width) {
  return t.b.getIntegerType(width, /*isSigned=*/false);
}

/// Numbers from 0 up to, but without, 1, of a type with `mantissa` explicit bits of fraction.
Value fractions(Tensors &t, Value bits, FloatType type) {
  unsigned width = type.getWidth(), mantissa = type.getFPMantissaWidth() - 1;
  Type element = typeOf(bits).getElementType();
  auto number = [&](const APInt &value) {
    return ConstantOp::create(t.b, t.loc, DenseElementsAttr::get(typeOf(bits), value));
  };
  Value low =
      t.apply<ShiftRightLogicalOp>(bits, t.number(element, width - mantissa, shapeOf(bits)));
  APInt one = APFloat(type.getFloatSemantics(), 1).bitcastToAPInt();
  Value numbers = t.bitcast(t.apply<OrOp>(low, number(one)), type);
  return t.apply<SubtractOp>(numbers, t.real(type, 1, shapeOf(bits)));
}

Value normal(Tensors &t, RngOp op, Value fraction) {
  ArrayRef<int64_t> shape = shapeOf(fraction);
  Type type = typeOf(fraction).getElementType();
  // Above -1, where the inverse of the error function is infinite.
  double least =
      -1 + std::ldexp(1.0, -static_cast<int>(cast<FloatType>(type).getFPMantissaWidth()));
  Value both = t.apply<SubtractOp>(t.apply<AddOp>(fraction, fraction), t.real(type, 1, shape));
  both = t.apply<MaxOp>(both, t.real(type, least, shape));
  Value quantile = chlo::ErfInvOp::create(t.b, t.loc, both.getType(), both);
  auto wide = [&](Value x) { return t.fill(t.convert(x, type), shape); };
  Value deviation = t.apply<MulOp>(quantile, t.real(type, std::sqrt(2.0), shape));
  Value result = t.apply<AddOp>(t.apply<MulOp>(deviation, wide(op.getB())), wide(op.getA()));
  return t.convert(result, op.getResult().getType().getElementType());
}

Value uniform(Tensors &t, RngOp op, Value fraction) {
  ArrayRef<int64_t> shape = shapeOf(fraction);
  Type type = typeOf(fraction).getElementType();
  auto wide = [&](Value x) { return t.fill(t.convert(x, type), shape); };
  Value low = wide(op.getA()), range = t.apply<SubtractOp>(wide(op.getB()), low);
  Value result = t.convert(t.apply<AddOp>(t.apply<MulOp>(fraction, range), low),
                           op.getResult().getType().getElementType());
  // Rounding may reach the limit.
  Value isBelow = t.compare(ComparisonDirection::LT, result, t.fill(op.getB(), shape));
  return t.select(isBelow, result, t.fill(op.getA(), shape));
}

/// Numbers from `a` up to, but without, `b`, computed in words of the bits' width.
Value uniformIntegers(Tensors &t, RngOp op, Value bits) {
  ArrayRef<int64_t> shape = shapeOf(bits);
  auto element = cast<IntegerType>(op.getResult().getType().getElementType()),
       word = cast<IntegerType>(typeOf(bits).getElementType());
  IntegerType wide = element.isUnsigned() ? word : t.b.getIntegerType(word.getWidth());
  auto widen = [&](Value x) { return t.fill(t.bitcast(t.convert(x, wide), word), shape); };
  Value low = widen(op.getA()), range = t.apply<SubtractOp>(widen(op.getB()), low);
  Value result = t.apply<AddOp>(t.apply<RemOp>(bits, range), low);
  return t.convert(t.bitcast(result, wide), element);
}

} // namespace

/// Adds the number of the trip to the values that a loop carries, as the last one.
WhileOp RandomNumbers::countTrips(WhileOp loop) {
  if (counted.contains(loop))
    return loop;
  Tensors t(loop);
  Type word = unsignedType(t, 32);
  SmallVector<Value> operands(loop.getOperands());
  operands.push_back(t.number(word, 0));
  auto made = WhileOp::create(t.b, loop.getLoc(), TypeRange(ValueRange(operands)), operands);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip_equal(loop->getRegions(), made->getRegions())) {
    to.takeBody(from);
    to.addArgument(operands.back().getType(), loop.getLoc());
  }
  Operation *last = made.getBody().front().getTerminator();
  Tensors body(last);
  Value trip = made.getBody().getArguments().back();
  last->insertOperands(last->getNumOperands(), {body.apply<AddOp>(trip, body.number(word, 1))});
  loop.replaceAllUsesWith(made.getResults().drop_back());
  loop.erase();
  counted.insert(made);
  return made;
}

Value RandomNumbers::makeState(RngOp op) {
  SmallVector<Value> trips; // of the innermost loop first
  for (Region *region = op->getParentRegion(); region; region = region->getParentRegion())
    if (auto loop = dyn_cast<WhileOp>(region->getParentOp())) {
      unsigned number = region->getRegionNumber();
      region = &countTrips(loop)->getRegion(number);
      trips.push_back(region->getArguments().back());
    }
  Tensors t(op);
  Type word = unsignedType(t, 32);
  SmallVector<Value> words(kStateWords, t.number(word, 0));
  words[0] = t.number(word, count++);
  for (auto [level, trip] : llvm::enumerate(trips)) {
    // Deeper nests than there are words share the last one.
    int64_t place = std::min<int64_t>(kKeyWords + 1 + level, kStateWords - 1);
    constexpr int64_t kOddMultiplier = 0x9e3779b1;
    Value mixed = t.apply<MulOp>(words[place], t.number(word, kOddMultiplier));
    words[place] = t.apply<AddOp>(mixed, trip);
  }
  Value state = t.reshape(t.stack(words, 0), {kStateWords / 2, 2});
  auto type = RankedTensorType::get({kStateWords / 2}, unsignedType(t, 64));
  return BitcastConvertOp::create(t.b, t.loc, type, state);
}

Value RandomNumbers::decompose(RngOp op) {
  Value state = makeState(op);
  Tensors t(op);
  RankedTensorType result = op.getResult().getType();
  Type element = result.getElementType();
  if (element.isInteger(1))
    return t.fill(op.getA(), result.getShape()); // no other number is below a larger one
  unsigned width = result.getElementTypeBitWidth() <= 32 ? 32 : 64;
  RankedTensorType words = result.clone(unsignedType(t, width));
  auto generator = RngBitGeneratorOp::create(t.b, t.loc, TypeRange{state.getType(), words}, state,
                                             RngAlgorithm::PHILOX);
  Value bits = generator.getOutput();
  if (isa<IntegerType>(element))
    return uniformIntegers(t, op, bits);
  Value fraction =
      fractions(t, bits, width == 32 ? FloatType(t.b.getF32Type()) : FloatType(t.b.getF64Type()));
  return op.getRngDistribution() == RngDistribution::NORMAL ? normal(t, op, fraction)
                                                            : uniform(t, op, fraction);
}

} // namespace systole::decomposition
