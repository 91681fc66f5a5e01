// Expands bitcasts between element types of different widths.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Expand/Integers.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

/// `type` with unsigned elements of the same width.
static RankedTensorType unsignedOf(RankedTensorType type) {
  unsigned width = type.getElementTypeBitWidth();
  return type.clone(IntegerType::get(type.getContext(), width, IntegerType::Unsigned));
}

/// Appends a dimension of size 1.
static Value addUnit(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(1);
  return ReshapeOp::create(b, loc, type.clone(shape), value);
}

/// Element `k` along the last dimension, which is dropped.
static Value takeLast(OpBuilder &b, Location loc, Value value, int64_t k) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape());
  SmallVector<int64_t> strides(type.getRank(), 1);
  starts.back() = k;
  limits.back() = k + 1;
  Value slice = SliceOp::create(b, loc, value, starts, limits, strides);
  return ReshapeOp::create(b, loc, type.clone(type.getShape().drop_back()), slice);
}

Value expandBitcast(OpBuilder &b, BitcastConvertOp op) {
  Location loc = op.getLoc();
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  auto to = cast<RankedTensorType>(op.getType());
  RankedTensorType fromBits = unsignedOf(from), toBits = unsignedOf(to);
  unsigned fromWidth = from.getElementTypeBitWidth(), toWidth = to.getElementTypeBitWidth();
  Value bits = op.getOperand();
  if (from != fromBits)
    bits = BitcastConvertOp::create(b, loc, fromBits, bits);
  Value result;
  if (fromWidth > toWidth) {
    Integers i{b, loc, fromBits};
    SmallVector<Value> parts;
    for (unsigned low = 0; low < fromWidth; low += toWidth) {
      Value part = low ? i.apply<ShiftRightLogicalOp>(bits, i.number(low)) : bits;
      parts.push_back(addUnit(b, loc, i.convert(part, fromBits.clone(toBits.getElementType()))));
    }
    result = ConcatenateOp::create(b, loc, parts, to.getRank() - 1);
  } else {
    Integers i{b, loc, toBits};
    for (unsigned k = 0; k < toWidth / fromWidth; ++k) {
      Value part = i.convert(takeLast(b, loc, bits, k), toBits);
      if (k)
        part = i.apply<ShiftLeftOp>(part, i.number(k * fromWidth));
      result = result ? i.apply<OrOp>(result, part) : part;
    }
  }
  return to == toBits ? result : BitcastConvertOp::create(b, loc, to, result);
}

} // namespace systole::expansion
