// Conversions between element types, and packed elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Small/Codes.h"
#include "compiler/Legalize/Small/FloatFormat.h"
#include "compiler/Mosaic/TensorOps.h"
#include "dialects/Mosaic/Mosaic.h"

using namespace mlir;

namespace systole::mosaic {

using namespace stablehlo;
using Direction = ComparisonDirection;

static RankedTensorType resultType(Operation *op) { return tensorType(op->getResult(0).getType()); }
static Type elementOf(Value tensor) { return typeOf(tensor).getElementType(); }
static Type unsignedOf(Type element) {
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(),
                          IntegerType::Unsigned);
}

static Type given(Operation *op) { return getElementTypeOrSelf(op->getOperand(0).getType()); }
static Type wanted(Operation *op) { return getElementTypeOrSelf(op->getResult(0).getType()); }

static Value forward(Tensors &, Operation *, ValueRange x) { return x[0]; }
Value extendSmall(Tensors &t, Value x, unsigned bits, bool isSigned) {
  Type byte = IntegerType::get(t.b.getContext(), 8,
                               isSigned ? IntegerType::Signless : IntegerType::Unsigned);
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  Value shift = t.number(byte, 8 - int64_t(bits), shape);
  Value high = t.apply<ShiftLeftOp>(t.bitcast(x, byte), shift);
  return isSigned ? t.apply<ShiftRightArithmeticOp>(high, shift)
                  : t.apply<ShiftRightLogicalOp>(high, shift);
}

static bool isPartOfByte(unsigned bits) { return bits < 8; }

/// The number that bits of a small float are; others as they are.
static Value decoded(Tensors &t, Operation *op, Value x) {
  auto format = dyn_cast<FloatType>(given(op));
  return format && isSmall(format) ? small::decode(t, small::FloatFormat(format), x) : x;
}

/// A number as an element of the result, of a small float its bits.
static Value encoded(Tensors &t, Operation *op, Value number) {
  auto format = dyn_cast<FloatType>(wanted(op));
  return format && isSmall(format)
             ? small::encode(t, small::FloatFormat(format), t.convert(number, t.b.getF32Type()))
                   .bits
             : t.convert(number, resultType(op).getElementType());
}

/// A float that is to be an integer of less than a byte: the nearest that has one.
static Value clamped(Tensors &t, Operation *op, Value number, bool isSigned) {
  if (!isSmall(wanted(op)))
    return number;
  const unsigned bits = wanted(op).getIntOrFloatBitWidth();
  number = t.convert(number, t.b.getF32Type());
  auto limit = [&](double value) {
    return t.real(t.b.getF32Type(), value, typeOf(number).getShape());
  };
  const double least = isSigned ? -(1 << (bits - 1)) : 0;
  return t.apply<MinOp>(t.apply<MaxOp>(number, limit(least)), limit(least + (1 << bits) - 1));
}

static Value convert(Tensors &t, Operation *op, ValueRange x) {
  return encoded(t, op, decoded(t, op, x[0]));
}

static Value toSigned(Tensors &t, Operation *op, ValueRange x) {
  return t.convert(clamped(t, op, decoded(t, op, x[0]), true), resultType(op).getElementType());
}

static Value extendZeros(Tensors &t, Operation *op, ValueRange x) {
  Type element = elementOf(x[0]);
  if (isSmall(given(op)))
    return encoded(t, op, extendSmall(t, x[0], given(op).getIntOrFloatBitWidth(), false));
  Value bits = element.isInteger(1) ? x[0] : t.bitcast(x[0], unsignedOf(element));
  return encoded(t, op, bits);
}
/// The sign of an i1 is its bit.
static Value extendSign(Tensors &t, Operation *op, ValueRange x) {
  Value value =
      isSmall(given(op)) ? extendSmall(t, x[0], given(op).getIntOrFloatBitWidth(), true) : x[0];
  if (!elementOf(x[0]).isInteger(1))
    return encoded(t, op, value);
  return encoded(t, op, t.apply<NegOp>(t.convert(value, t.b.getI32Type())));
}
static Value truncateInteger(Tensors &t, Operation *op, ValueRange x) {
  Type element = resultType(op).getElementType(), given = elementOf(x[0]);
  if (isSmall(wanted(op)))
    return extendSmall(t, t.convert(x[0], element), wanted(op).getIntOrFloatBitWidth(), true);
  if (!element.isInteger(1))
    return t.convert(x[0], element);
  auto shape = typeOf(x[0]).getShape();
  Value bit = t.apply<AndOp>(x[0], t.number(given, 1, shape));
  return t.compare(Direction::NE, bit, t.number(given, 0, shape));
}
static Value fromUnsigned(Tensors &t, Operation *op, ValueRange x) { return extendZeros(t, op, x); }
static Value toUnsigned(Tensors &t, Operation *op, ValueRange x) {
  Type element = resultType(op).getElementType();
  Value number = clamped(t, op, decoded(t, op, x[0]), false);
  return t.bitcast(t.convert(number, unsignedOf(element)), element);
}
static Value fromSigned(Tensors &t, Operation *op, ValueRange x) { return extendSign(t, op, x); }

/// To integers Mosaic rounds as its operation says; StableHLO's conversion rounds towards zero.
static Value roundToInteger(Tensors &t, Operation *op, ValueRange x) {
  auto mode = op->getAttrOfType<tpu::RoundingModeAttr>("rounding_mode");
  Value value = decoded(t, op, x[0]);
  if (mode && mode.getValue() == tpu::RoundingMode::to_nearest_even)
    value = t.apply<RoundNearestEvenOp>(value);
  return t.convert(clamped(t, op, value, true), resultType(op).getElementType());
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// Words of the elements of neighbours along the last dimension but one, each of `bits`, from the
/// lowest bits.
static Value joinRows(Tensors &t, Value x, unsigned bits, unsigned wordBits) {
  RankedTensorType type = typeOf(x);
  int64_t dim = type.getRank() - 2, count = wordBits / bits;
  Type word = IntegerType::get(type.getContext(), wordBits, IntegerType::Unsigned);
  Value joined;
  for (int64_t part = 0; part < count; ++part) {
    Value rows = t.slice(x, dim, part, type.getDimSize(dim) / count, count);
    Value wide = t.convert(t.bitcast(rows, unsignedOf(type.getElementType())), word);
    ArrayRef<int64_t> shape = typeOf(wide).getShape();
    if (isPartOfByte(bits))
      wide = t.apply<AndOp>(wide, t.number(word, (1 << bits) - 1, shape));
    Value placed = t.apply<ShiftLeftOp>(wide, t.number(word, part * bits, shape));
    joined = joined ? t.apply<OrOp>(joined, placed) : placed;
  }
  return joined;
}

/// The reverse, as unsigned integers of `bits`, or of a byte for fewer.
static Value splitRows(Tensors &t, Value x, unsigned bits) {
  RankedTensorType type = typeOf(x);
  int64_t dim = type.getRank() - 2, count = type.getElementTypeBitWidth() / bits;
  Type word = unsignedOf(type.getElementType());
  Type narrow = IntegerType::get(type.getContext(), std::max(bits, 8u), IntegerType::Unsigned);
  SmallVector<Value> parts;
  Value words = t.bitcast(x, word);
  for (int64_t part = 0; part < count; ++part)
    parts.push_back(t.convert(
        t.apply<ShiftRightLogicalOp>(words, t.number(word, part * bits, type.getShape())), narrow));
  SmallVector<int64_t> shape(type.getShape());
  Value stacked = t.stack(parts, dim + 1);
  shape[dim] *= count;
  return t.reshape(stacked, shape);
}

Value bitcastRows(Tensors &t, Value x, Type from, Type to) {
  unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
  Type element = tensorType(to).getElementType();
  if (fromBits == toBits)
    return t.bitcast(x, element);
  if (typeOf(x).getRank() < 2 || std::min(fromBits, toBits) < 2)
    return nullptr;
  if (fromBits > toBits) {
    Value parts = t.bitcast(splitRows(t, x, toBits), element);
    return isPartOfByte(toBits) ? extendSmall(t, parts, toBits, true) : parts;
  }
  // Words of less than a byte are in bytes.
  if (isPartOfByte(toBits))
    return nullptr;
  return t.bitcast(joinRows(t, x, fromBits, toBits), element);
}

static Value bitcast(Tensors &t, Operation *op, ValueRange x) {
  return bitcastRows(t, x[0], given(op), wanted(op));
}

/// Part `index` of each element, widened.
static Value unpackElementwise(Tensors &t, Operation *op, ValueRange x) {
  auto unpack = cast<tpu::UnpackElementwiseOp>(op);
  Type source = unpack.getSourceType(), target = resultType(op).getElementType();
  const int64_t bits = source.getIntOrFloatBitWidth(),
                width = elementOf(x[0]).getIntOrFloatBitWidth();
  if (!source.isInteger() && !(source.isBF16() && width == 32))
    return nullptr;
  ArrayRef<int64_t> shape = typeOf(x[0]).getShape();
  Type word = IntegerType::get(op->getContext(), width);
  Value high = t.apply<ShiftLeftOp>(t.bitcast(x[0], word),
                                    t.number(word, width - bits * (unpack.getIndex() + 1), shape));
  if (source.isBF16())
    return t.bitcast(t.apply<AndOp>(high, t.number(word, -65536, shape)), target);
  return t.convert(t.apply<ShiftRightArithmeticOp>(high, t.number(word, width - bits, shape)),
                   target);
}

static Value packElementwise(Tensors &t, Operation *op, ValueRange x) {
  Type target = cast<tpu::PackElementwiseOp>(op).getTargetType();
  const unsigned bits = target.getIntOrFloatBitWidth(),
                 width = elementOf(x[0]).getIntOrFloatBitWidth();
  if (!target.isInteger() && !(target.isBF16() && width == 32))
    return nullptr;
  ArrayRef<int64_t> shape = typeOf(x[0]).getShape();
  Type word = IntegerType::get(op->getContext(), width, IntegerType::Unsigned);
  Value packed;
  for (auto [part, source] : llvm::enumerate(x)) {
    Value wide = target.isBF16()
                     ? t.convert(t.bitcast(t.convert(source, target), unsignedOf(target)), word)
                     : t.apply<AndOp>(t.bitcast(source, word),
                                      t.number(word, (int64_t(1) << bits) - 1, shape));
    Value placed = t.apply<ShiftLeftOp>(wide, t.number(word, int64_t(part * bits), shape));
    packed = packed ? t.apply<OrOp>(packed, placed) : placed;
  }
  packed = t.bitcast(packed, resultType(op).getElementType());
  return isSmall(wanted(op)) ? extendSmall(t, packed, wanted(op).getIntOrFloatBitWidth(), true)
                             : packed;
}

/// Adds random bits below those that the result keeps, and drops these.
static Value stochasticConvert(Tensors &t, Operation *op, ValueRange x) {
  if (!wanted(op).isBF16())
    return nullptr;
  Type word = IntegerType::get(op->getContext(), 32, IntegerType::Unsigned);
  ArrayRef<int64_t> shape = typeOf(x[0]).getShape();
  Value low = t.apply<AndOp>(t.bitcast(x[1], word), t.number(word, 0xffff, shape));
  Value sum = t.apply<AddOp>(t.bitcast(x[0], word), low);
  Value kept = t.bitcast(t.apply<AndOp>(sum, t.number(word, 0xffff0000, shape)), t.b.getF32Type());
  // Infinities and NaN have no neighbours.
  auto truths = RankedTensorType::get(shape, t.b.getI1Type());
  Value isFinite = IsFiniteOp::create(t.b, t.loc, truths, x[0]);
  return t.convert(t.select(isFinite, kept, x[0]), t.b.getBF16Type());
}

void addConversionOps(TensorOps &ops) {
  ops.add("arith.extf", convert);
  ops.add("arith.truncf", convert);
  ops.add("arith.extui", extendZeros);
  ops.add("arith.extsi", extendSign);
  ops.add("arith.trunci", truncateInteger);
  ops.add("arith.sitofp", fromSigned);
  ops.add("arith.uitofp", fromUnsigned);
  ops.add("arith.fptosi", toSigned);
  ops.add("arith.fptoui", toUnsigned);
  ops.add("arith.bitcast", bitcast);
  ops.add("arith.index_cast", forward);
  ops.add("arith.index_castui", forward);
  ops.add("tpu.extf", convert);
  ops.add("tpu.truncf", convert);
  ops.add("tpu.sitofp", fromSigned);
  ops.add("tpu.uitofp", fromUnsigned);
  ops.add("tpu.fptosi", roundToInteger);
  ops.add("tpu.fptoui", toUnsigned);
  ops.add("tpu.bitcast", bitcast);
  ops.add("tpu.bitcast_vreg", bitcast);
  ops.add("vector.bitcast", bitcast);
  ops.add("tpu.unpack_elementwise", unpackElementwise);
  ops.add("tpu.pack_elementwise", packElementwise);
  ops.add("tpu.stochastic_convert", stochasticConvert);
  ops.add("tpu.mask_cast", forward);
  ops.add("tpu.relayout", forward);
}

} // namespace systole::mosaic
