// Conversions from and to elements that are stored as bytes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Small/Quantized.h"
#include "compiler/Legalize/Small/Storage.h"

using namespace mlir;

namespace systole::small {

using namespace stablehlo;
using expansion::Tensors;

/// Integers of type `element` in storage: numbers that it cannot represent become the nearest, and
/// NaN becomes 0.
static Value saturate(Tensors &t, Value number, Type element) {
  Type storage = storageOf(element);
  int64_t bits = widthOf(element);
  bool isUnsigned = element.isUnsignedInteger();
  int64_t most = (1 << (isUnsigned ? bits : bits - 1)) - 1;
  Value whole = t.convert(number, storage);
  ArrayRef<int64_t> shape = shapeOf(number);
  whole = t.apply<MinOp>(whole, t.number(storage, most, shape));
  return isUnsigned ? whole : t.apply<MaxOp>(whole, t.number(storage, -most - 1, shape));
}

/// f64 as f32, rounded to odd where it is not exact: rounding that to a format of few bits is as if
/// f64 had been.
static Value roundToOdd(Tensors &t, Value number) {
  using Direction = ComparisonDirection;
  Type element = typeOf(number).getElementType(), word = t.b.getI32Type();
  Value nearest = t.convert(number, t.b.getF32Type()), back = t.convert(nearest, element);
  Value isFarther = t.compare(Direction::GT, t.apply<AbsOp>(back), t.apply<AbsOp>(number));
  Value isInexact = t.compare(Direction::NE, back, number);
  Value bits = t.bitcast(nearest, word);
  bits = t.apply<SubtractOp>(bits, t.convert(isFarther, word));
  bits = t.apply<OrOp>(bits, t.convert(isInexact, word));
  return t.bitcast(bits, t.b.getF32Type());
}

/// The stored form of a splat that is quantized; nothing for other operations.
static Value quantizedConstant(Tensors &t, Value from, Type element) {
  auto constant = from.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : nullptr;
  auto type = dyn_cast<quant::QuantizedType>(element);
  if (!elements || !elements.getElementType().isF32() || !type)
    return {};
  float number = elements.getSplatValue<APFloat>().convertToFloat();
  std::optional<int64_t> stored = Quantization(type).quantize(number);
  return stored ? t.number(storageOf(element), *stored, shapeOf(from)) : Value();
}

void lowerConvert(Storage &s, Operation *op) {
  Tensors t(op);
  Value from = op->getOperand(0), result = op->getResult(0);
  if (Value constant = quantizedConstant(t, from, typeOf(result).getElementType())) {
    s.storeBits(result, constant, typeOf(result).getElementType());
    op->erase();
    return;
  }
  Value number = s.elementOf(from) ? s.numbersOf(t, from) : from;
  if (isa<ComplexType>(typeOf(number).getElementType()))
    number = RealOp::create(t.b, t.loc, number);
  if (typeOf(number).getElementType().isF64() && isReal(typeOf(result).getElementType()))
    number = roundToOdd(t, number);
  Type element = typeOf(result).getElementType();
  if (!isStored(element)) {
    result.replaceAllUsesWith(t.convert(number, element));
  } else if (isReal(element)) {
    // May be the identity, so that there is an operation to follow.
    Value value = ConvertOp::create(t.b, t.loc, typeOf(result).clone(t.b.getF32Type()), number);
    s.storeNumbers(result, value, element, /*isExact=*/false);
  } else if (isa<FloatType>(typeOf(number).getElementType())) {
    s.storeNumbers(result, saturate(t, number, element), element, /*isExact=*/true);
  } else {
    Value value = ConvertOp::create(t.b, t.loc, typeOf(result).clone(storageOf(element)), number);
    s.storeNumbers(result, value, element, /*isExact=*/false);
  }
  op->erase();
}

/// Appends a dimension of the `count` elements of `bits` bits that each byte holds, lowest first.
static Value unpack(Tensors &t, Value bytes, int64_t bits, int64_t count) {
  ArrayRef<int64_t> shape = shapeOf(bytes);
  Type storage = typeOf(bytes).getElementType();
  Value mask = t.number(storage, (1 << bits) - 1, shape);
  SmallVector<Value> parts;
  for (int64_t part = 0; part < count; ++part) {
    Value moved = t.apply<ShiftRightLogicalOp>(bytes, t.number(storage, part * bits, shape));
    parts.push_back(t.apply<AndOp>(moved, mask));
  }
  return t.stack(parts, int64_t(shape.size()));
}

/// The reverse: bytes of the elements along the last dimension.
static Value pack(Tensors &t, Value parts, int64_t bits) {
  const int64_t last = typeOf(parts).getRank() - 1, count = shapeOf(parts).back();
  Value bytes;
  for (int64_t part = 0; part < count; ++part) {
    Value moved = t.take(parts, last, part);
    Value by = t.number(typeOf(moved).getElementType(), part * bits, shapeOf(moved));
    moved = t.apply<ShiftLeftOp>(moved, by);
    bytes = bytes ? t.apply<OrOp>(bytes, moved) : moved;
  }
  return bytes;
}

void lowerBitcast(Storage &s, BitcastConvertOp op) {
  Tensors t(op);
  Value from = op.getOperand();
  Type fromElement = s.elementOf(from), element = typeOf(op).getElementType();
  Type byte = t.b.getIntegerType(8, /*isSigned=*/false);
  const bool isResultStored = isStored(element);
  const auto to = int64_t(widthOf(element));
  const auto width = int64_t(widthOf(fromElement ? fromElement : typeOf(from).getElementType()));
  Value bits = from;
  if (fromElement) {
    bits = s.bitsOf(t, from);
    if (width <= 8)
      bits = t.bitcast(bits, byte);
    if (width < 8)
      bits = t.apply<AndOp>(bits, t.number(byte, (1 << width) - 1, shapeOf(bits)));
  }
  SmallVector<int64_t> shape(shapeOf(op));
  // Elements of less than a byte are packed to bytes, or out of bytes.
  if (width < to && width < 8) {
    const int64_t count = std::min<int64_t>(to, 8) / width;
    SmallVector<int64_t> groups(shape);
    if (to > 8)
      groups.push_back(to / 8);
    groups.push_back(count);
    bits = pack(t, t.reshape(bits, groups), width);
  } else if (to < width && to < 8) {
    if (width > 8) {
      SmallVector<int64_t> bytes(shapeOf(bits));
      bytes.push_back(width / 8);
      bits = BitcastConvertOp::create(t.b, t.loc, RankedTensorType::get(bytes, byte), bits);
    }
    bits = t.bitcast(bits, byte);
    bits = t.reshape(unpack(t, bits, to, std::min<int64_t>(width, 8) / to), shape);
  }
  Type stored = isResultStored ? storageOf(element) : element;
  // A value of its own, even of the same type: what its bits stand for is another than before.
  bits = BitcastConvertOp::create(t.b, t.loc, RankedTensorType::get(shape, stored), bits);
  if (!isResultStored) {
    op.replaceAllUsesWith(bits);
  } else if (isReal(element)) {
    if (to < 8 && !stored.isUnsignedInteger())
      bits = wrap(t, bits, element);
    s.storeBits(op, bits, element);
  } else {
    s.storeNumbers(op, bits, element, /*isExact=*/false);
  }
  op.erase();
}

} // namespace systole::small
