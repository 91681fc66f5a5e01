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
/// An integer of fewer bits than a byte in a byte, extended anew.
static Value extendSmall(Tensors &t, Value x, unsigned bits, bool isSigned) {
  Type byte = IntegerType::get(t.b.getContext(), 8,
                               isSigned ? IntegerType::Signless : IntegerType::Unsigned);
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  Value shift = t.number(byte, 8 - int64_t(bits), shape);
  Value high = t.apply<ShiftLeftOp>(t.bitcast(x, byte), shift);
  return isSigned ? t.apply<ShiftRightArithmeticOp>(high, shift)
                  : t.apply<ShiftRightLogicalOp>(high, shift);
}

/// The number that bits of a small float are; others as they are.
static Value decoded(Tensors &t, Operation *op, Value x) {
  auto format = dyn_cast<FloatType>(given(op));
  return format && isSmall(format) ? small::decode(t, small::FloatFormat(format), x) : x;
}

static Value convert(Tensors &t, Operation *op, ValueRange x) {
  Value value = decoded(t, op, x[0]);
  Type element = resultType(op).getElementType();
  if (!isSmall(wanted(op)))
    return t.convert(value, element);
  if (auto format = dyn_cast<FloatType>(wanted(op)))
    return small::encode(t, small::FloatFormat(format), t.convert(value, t.b.getF32Type())).bits;
  return extendSmall(t, t.convert(value, element), wanted(op).getIntOrFloatBitWidth(), true);
}

static Value extendZeros(Tensors &t, Operation *op, ValueRange x) {
  Type element = elementOf(x[0]);
  if (isSmall(given(op)))
    return t.convert(extendSmall(t, x[0], given(op).getIntOrFloatBitWidth(), false),
                     resultType(op).getElementType());
  Value bits = element.isInteger(1) ? x[0] : t.bitcast(x[0], unsignedOf(element));
  return t.convert(bits, resultType(op).getElementType());
}
/// The sign of an i1 is its bit.
static Value extendSign(Tensors &t, Operation *op, ValueRange x) {
  Value value =
      isSmall(given(op)) ? extendSmall(t, x[0], given(op).getIntOrFloatBitWidth(), true) : x[0];
  Value wide = t.convert(value, resultType(op).getElementType());
  return elementOf(x[0]).isInteger(1) ? t.apply<NegOp>(wide) : wide;
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
  return t.bitcast(t.convert(decoded(t, op, x[0]), unsignedOf(element)), element);
}
static Value fromSigned(Tensors &t, Operation *op, ValueRange x) { return extendSign(t, op, x); }

/// To integers Mosaic rounds as its operation says; StableHLO's conversion rounds towards zero.
static Value roundToInteger(Tensors &t, Operation *op, ValueRange x) {
  auto mode = op->getAttrOfType<tpu::RoundingModeAttr>("rounding_mode");
  Value value = decoded(t, op, x[0]);
  if (mode && mode.getValue() == tpu::RoundingMode::to_nearest_even)
    value = t.apply<RoundNearestEvenOp>(value);
  return t.convert(value, resultType(op).getElementType());
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// Words of the elements of `count` neighbours along the last dimension but one, from the lowest
/// bits.
static Value joinRows(Tensors &t, Value x, int64_t count) {
  RankedTensorType type = typeOf(x);
  int64_t dim = type.getRank() - 2, bits = type.getElementTypeBitWidth();
  Type word = IntegerType::get(type.getContext(), unsigned(bits * count), IntegerType::Unsigned);
  Value joined;
  for (int64_t part = 0; part < count; ++part) {
    Value rows = t.slice(x, dim, part, type.getDimSize(dim) / count, count);
    Value wide = t.convert(t.bitcast(rows, unsignedOf(type.getElementType())), word);
    Value placed = t.apply<ShiftLeftOp>(wide, t.number(word, part * bits, typeOf(wide).getShape()));
    joined = joined ? t.apply<OrOp>(joined, placed) : placed;
  }
  return joined;
}

/// The reverse, as unsigned integers of `bits`.
static Value splitRows(Tensors &t, Value x, unsigned bits) {
  RankedTensorType type = typeOf(x);
  int64_t dim = type.getRank() - 2, count = type.getElementTypeBitWidth() / bits;
  Type word = unsignedOf(type.getElementType());
  Type narrow = IntegerType::get(type.getContext(), bits, IntegerType::Unsigned);
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

/// Elements of another width are those that share a word, rows of the last dimension but one.
static Value bitcast(Tensors &t, Operation *op, ValueRange x) {
  if (isSmall(given(op)) && given(op).getIntOrFloatBitWidth() < 8)
    return nullptr;
  RankedTensorType from = typeOf(x[0]), to = resultType(op);
  unsigned fromBits = from.getElementTypeBitWidth(), toBits = to.getElementTypeBitWidth();
  if (fromBits == toBits)
    return t.bitcast(x[0], to.getElementType());
  if (from.getRank() < 2 || std::min(fromBits, toBits) < 8)
    return nullptr;
  Value words =
      fromBits < toBits ? joinRows(t, x[0], toBits / fromBits) : splitRows(t, x[0], toBits);
  return t.bitcast(words, to.getElementType());
}

/// Part `index` of each word, widened.
static Value unpackElementwise(Tensors &t, Operation *op, ValueRange x) {
  auto unpack = cast<tpu::UnpackElementwiseOp>(op);
  Type source = unpack.getSourceType(), target = resultType(op).getElementType();
  unsigned bits = source.getIntOrFloatBitWidth();
  ArrayRef<int64_t> shape = typeOf(x[0]).getShape();
  Type word = t.b.getI32Type();
  Value high = t.apply<ShiftLeftOp>(
      t.bitcast(x[0], word), t.number(word, 32 - int64_t(bits) * (unpack.getIndex() + 1), shape));
  if (source.isBF16()) {
    high = t.apply<AndOp>(high, t.number(word, -65536, shape));
    return t.bitcast(high, target);
  }
  if (!source.isInteger())
    return nullptr;
  return t.convert(t.apply<ShiftRightArithmeticOp>(high, t.number(word, 32 - int64_t(bits), shape)),
                   target);
}

static Value packElementwise(Tensors &t, Operation *op, ValueRange x) {
  Type target = cast<tpu::PackElementwiseOp>(op).getTargetType();
  unsigned bits = target.getIntOrFloatBitWidth();
  if (!target.isBF16() && !target.isInteger())
    return nullptr;
  ArrayRef<int64_t> shape = typeOf(x[0]).getShape();
  Type word = IntegerType::get(op->getContext(), 32, IntegerType::Unsigned);
  Type narrow = IntegerType::get(op->getContext(), bits, IntegerType::Unsigned);
  Value packed;
  for (auto [part, source] : llvm::enumerate(x)) {
    Value converted = t.convert(source, target);
    Value wide = t.convert(t.bitcast(converted, narrow), word);
    Value placed = t.apply<ShiftLeftOp>(wide, t.number(word, int64_t(part * bits), shape));
    packed = packed ? t.apply<OrOp>(packed, placed) : placed;
  }
  return t.bitcast(packed, resultType(op).getElementType());
}

void addConversionOps(TensorOps &ops) {
  ops.add("arith.extf", convert);
  ops.add("arith.truncf", convert);
  ops.add("arith.extui", extendZeros);
  ops.add("arith.extsi", extendSign);
  ops.add("arith.trunci", truncateInteger);
  ops.add("arith.sitofp", fromSigned);
  ops.add("arith.uitofp", fromUnsigned);
  ops.add("arith.fptosi", convert);
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
  ops.add("tpu.mask_cast", forward);
  ops.add("tpu.relayout", forward);
}

} // namespace systole::mosaic
