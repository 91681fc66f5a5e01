// HLO literals as constants.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Literals.h"

#include "compiler/Import/Elements.h"
#include "compiler/Import/Hlo/Types.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::hlo {

namespace {

ArrayRef<char> bytesOf(const std::string &bytes) { return {bytes.data(), bytes.size()}; }

template <typename Numbers> ArrayRef<char> bytesOf(const Numbers &numbers) {
  return {reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(*numbers.data())};
}

/// The elements in the literal's memory order; nothing for element types that literals cannot have.
ArrayRef<char> elementsOf(const LiteralProto &literal, Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() ? bytesOf(literal.c64s()) : bytesOf(literal.c128s());
  if (type.isF16())
    return bytesOf(literal.f16s());
  if (type.isBF16())
    return bytesOf(literal.bf16s());
  if (type.isF32())
    return bytesOf(literal.f32s());
  if (type.isF64())
    return bytesOf(literal.f64s());
  const bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return bytesOf(literal.preds());
  case 8:
    return bytesOf(isUnsigned ? literal.u8s() : literal.s8s());
  case 16:
    return bytesOf(isUnsigned ? literal.u16s() : literal.s16s());
  case 32:
    return isUnsigned ? bytesOf(literal.u32s()) : bytesOf(literal.s32s());
  case 64:
    return isUnsigned ? bytesOf(literal.u64s()) : bytesOf(literal.s64s());
  default:
    return {};
  }
}

/// `bytes` with the elements in row-major order; `order` lists their dimensions from major to
/// minor.
std::string toRowMajor(ArrayRef<char> bytes, ArrayRef<int64_t> sizes, ArrayRef<int64_t> order,
                       int64_t elementBytes) {
  std::string result(bytes.size(), '\0');
  SmallVector<int64_t> strides(sizes.size());
  int64_t stride = elementBytes;
  for (int64_t dimension : llvm::reverse(order)) {
    strides[dimension] = stride;
    stride *= sizes[dimension];
  }
  SmallVector<int64_t> index(sizes.size(), 0);
  int64_t from = 0;
  for (size_t to = 0; to < bytes.size(); to += elementBytes) {
    std::copy_n(bytes.data() + from, elementBytes, result.data() + to);
    for (int64_t dimension = int64_t(sizes.size()) - 1; dimension >= 0; --dimension) {
      from += strides[dimension];
      if (++index[dimension] < sizes[dimension])
        break;
      from -= strides[dimension] * sizes[dimension];
      index[dimension] = 0;
    }
  }
  return result;
}

} // namespace

DenseElementsAttr constantFrom(const LiteralProto &literal, RankedTensorType type) {
  const ShapeProto &shape = literal.shape();
  Type element = elementType(shape.element_type(), type.getContext());
  if (element != type.getElementType() ||
      ArrayRef(shape.dimensions().data(), shape.dimensions_size()) != type.getShape())
    return {};
  const auto complex = dyn_cast<ComplexType>(element);
  const int64_t bits = complex ? 2 * complex.getElementType().getIntOrFloatBitWidth()
                               : element.getIntOrFloatBitWidth();
  const int64_t elementBytes = llvm::divideCeil(bits, 8);
  ArrayRef<char> bytes = elementsOf(literal, element);
  // The number of bytes bounds the number of elements: a shape alone must not allocate memory.
  int64_t expected = elementBytes;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(expected, size, expected))
      return {};
  if (expected != int64_t(bytes.size()))
    return {};
  std::optional<SmallVector<int64_t>> order = majorToMinor(shape);
  if (!order)
    return {};
  std::string rowMajor;
  if (!llvm::is_sorted(*order)) {
    rowMajor = toRowMajor(bytes, type.getShape(), *order, elementBytes);
    bytes = bytesOf(rowMajor);
  }
  if (bits == 1)
    return DenseElementsAttr::get(
        type, llvm::map_to_vector(bytes, [](char value) { return value != 0; }));
  return elementsFrom(type, bytes);
}

} // namespace systole::hlo
