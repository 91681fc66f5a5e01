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

/// The logical rows of a block of `size` along the first dimension, with their padding; nothing if
/// blocks do not begin with rows of memory.
static std::optional<int64_t> rowsOfBlock(RankedTensorType type, int64_t size) {
  // Wider elements are planes of 32 bits.
  Type element = type.getElementType();
  if (element.getIntOrFloatBitWidth() > 32)
    element = IntegerType::get(type.getContext(), 32);
  auto buffer =
      kernel::BufferType::get(type.getContext(), type.getShape(), element, kernel::Space::hbm);
  const int64_t packing = 32 / buffer.getStorageBits();
  const bool isWhole = type.getRank() > 1 || size % kLanes == 0;
  const int64_t rows = type.getRank() > 1 ? buffer.getPitch(0) * size : size / kLanes;
  return isWhole && rows % packing == 0 ? std::optional(rows) : std::nullopt;
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

static Value zeros(expansion::Tensors &t, Type element, ArrayRef<int64_t> shape) {
  return isa<FloatType>(element) ? t.real(element, 0, shape) : t.number(element, 0, shape);
}

Value exchangeBlocks(expansion::Tensors &t, Value value, const Exchange &exchange) {
  RankedTensorType type = typeOf(value);
  Type element = type.getElementType();
  if (Type carrier = carrierOf(element))
    return t.convert(exchangeBlocks(t, t.convert(value, carrier), exchange), element);
  if (auto complex = dyn_cast<ComplexType>(element)) {
    RankedTensorType part = type.clone(complex.getElementType());
    Value real = exchangeBlocks(t, RealOp::create(t.b, t.loc, part, value), exchange),
          imaginary = exchangeBlocks(t, ImagOp::create(t.b, t.loc, part, value), exchange);
    return ComplexOp::create(t.b, t.loc, typeOf(real).clone(complex), real, imaginary);
  }
  const int64_t size = type.getDimSize(0) / exchange.sourceBlocks;
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = size * exchange.targetBlocks;
  if (type.getNumElements() == 0)
    return zeros(t, element, shape); // there is nothing to move
  auto create = [&](Value blocks, ArrayRef<int64_t> result) -> Value {
    return kernel::ExchangeOp::create(t.b, t.loc, type.clone(result), blocks, exchange.sourceBlocks,
                                      exchange.targetBlocks, exchange.steps,
                                      t.b.getStringAttr(exchange.collective));
  };
  const int64_t elements = type.getNumElements() / exchange.sourceBlocks;
  const std::optional<int64_t> rows = rowsOfBlock(type, size);
  if (rows && *rows * kLanes <= 2 * elements)
    return create(value, shape);
  // Whole groups of eight logical rows, which no element type divides.
  const int64_t padded = llvm::alignTo(elements, 8 * kLanes);
  Value flat = t.reshape(value, {exchange.sourceBlocks, elements});
  flat = t.pad(flat, zeros(t, element, {}), {0, 0}, {0, padded - elements}, {0, 0});
  flat = t.reshape(flat, {exchange.sourceBlocks * padded / kLanes, kLanes});
  Value moved = create(flat, {exchange.targetBlocks * padded / kLanes, kLanes});
  moved = t.reshape(moved, {exchange.targetBlocks, padded});
  return t.reshape(t.slice(moved, 1, 0, elements), shape);
}

} // namespace systole::partition
