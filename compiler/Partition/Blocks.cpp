// Arrays as blocks that cores copy to each other.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Blocks.h"

#include "dialects/Kernel/Kernel.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

/// Logical rows that are packed in one of memory: 1 for 32 bits and the planes of wider elements.
static int64_t packingOf(Type element) {
  const unsigned bits = element.getIntOrFloatBitWidth();
  return bits >= 32 ? 1 : bits == 16 ? 2 : 4;
}

/// Whether blocks of a shape with its number in front lie in whole rows, with at most so much
/// padding as elements.
static bool lieInRows(RankedTensorType type) {
  const int64_t packing = packingOf(type.getElementType());
  const int64_t lanes = type.getRank() > 1 ? type.getShape().back() : 1;
  const int64_t tiles = llvm::divideCeil(lanes, kLanes);
  const int64_t rows = type.getNumElements() / type.getDimSize(0) / lanes * tiles;
  // Narrow elements have padding between rows of some shapes (RowLayout.h).
  return type.getRank() > 1 && rows % (packing == 1 ? 1 : 8) == 0 && 2 * lanes >= tiles * kLanes &&
         (packing == 1 || type.getRank() < 4 || type.getDimSize(type.getRank() - 2) % 8 == 0);
}

/// The type in which elements move that memory has no elements of; null for others.
static Type carrierOf(Type element) {
  if (isa<ComplexType>(element) || element.getIntOrFloatBitWidth() > 8 || element.isInteger(1) ||
      element.isInteger(8))
    return {};
  MLIRContext *context = element.getContext();
  // All their values are bf16's.
  if (isa<FloatType>(element))
    return BFloat16Type::get(context);
  return IntegerType::get(context, 8, cast<IntegerType>(element).getSignedness());
}

Value exchangeBlocks(expansion::Tensors &t, Value value, int64_t count, ArrayAttr steps,
                     StringRef collective) {
  RankedTensorType type = typeOf(value);
  if (Type carrier = carrierOf(type.getElementType()))
    return t.convert(exchangeBlocks(t, t.convert(value, carrier), count, steps, collective),
                     type.getElementType());
  if (auto complex = dyn_cast<ComplexType>(type.getElementType())) {
    RankedTensorType part = type.clone(complex.getElementType());
    Value real =
              exchangeBlocks(t, RealOp::create(t.b, t.loc, part, value), count, steps, collective),
          imaginary =
              exchangeBlocks(t, ImagOp::create(t.b, t.loc, part, value), count, steps, collective);
    return ComplexOp::create(t.b, t.loc, typeOf(real).clone(complex), real, imaginary);
  }
  SmallVector<int64_t> resultShape(type.getShape());
  resultShape[0] = count;
  if (type.getNumElements() == 0 || count == 0) {
    // There is nothing to move.
    Type element = type.getElementType();
    return isa<FloatType, ComplexType>(element) ? t.real(element, 0, resultShape)
                                                : t.number(element, 0, resultShape);
  }
  auto exchange = [&](Value blocks, ArrayRef<int64_t> shape) -> Value {
    return kernel::ExchangeOp::create(t.b, t.loc, type.clone(shape), blocks, steps,
                                      t.b.getStringAttr(collective));
  };
  if (lieInRows(type))
    return exchange(value, resultShape);
  const int64_t size = type.getNumElements() / type.getDimSize(0);
  const int64_t unit = packingOf(type.getElementType()) == 1 ? kLanes : 8 * kLanes;
  const int64_t padded = llvm::alignTo(size, unit);
  Value flat = t.reshape(value, {type.getDimSize(0), size});
  if (padded != size) {
    Type element = type.getElementType();
    Value zero = isa<FloatType, ComplexType>(element) ? t.real(element, 0) : t.number(element, 0);
    flat = t.pad(flat, zero, {0, 0}, {0, padded - size}, {0, 0});
  }
  flat = t.reshape(flat, {type.getDimSize(0), padded / kLanes, kLanes});
  Value moved = exchange(flat, {count, padded / kLanes, kLanes});
  moved = t.reshape(moved, {count, padded});
  if (padded != size)
    moved = t.slice(moved, 1, 0, size);
  return t.reshape(moved, resultShape);
}

} // namespace systole::partition
