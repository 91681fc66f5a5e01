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

const SmallElements kSmall[] = {
    {19, &APFloat::Float8E5M2, &LiteralProto::mutable_f8e5m2s, &LiteralProto::f8e5m2s},
    {20, &APFloat::Float8E4M3FN, &LiteralProto::mutable_f8e4m3fns, &LiteralProto::f8e4m3fns},
    {21, nullptr, &LiteralProto::mutable_s4s, &LiteralProto::s4s},
    {22, nullptr, &LiteralProto::mutable_u4s, &LiteralProto::u4s},
    {23, &APFloat::Float8E4M3B11FNUZ, &LiteralProto::mutable_f8e4m3b11fnuzs,
     &LiteralProto::f8e4m3b11fnuzs},
    {24, &APFloat::Float8E5M2FNUZ, &LiteralProto::mutable_f8e5m2fnuzs, &LiteralProto::f8e5m2fnuzs},
    {25, &APFloat::Float8E4M3FNUZ, &LiteralProto::mutable_f8e4m3fnuzs, &LiteralProto::f8e4m3fnuzs},
    {26, nullptr, &LiteralProto::mutable_s2s, &LiteralProto::s2s},
    {27, nullptr, &LiteralProto::mutable_u2s, &LiteralProto::u2s},
    {28, &APFloat::Float8E4M3, &LiteralProto::mutable_f8e4m3s, &LiteralProto::f8e4m3s},
    {29, &APFloat::Float8E3M4, &LiteralProto::mutable_f8e3m4s, &LiteralProto::f8e3m4s},
    {32, &APFloat::Float4E2M1FN, &LiteralProto::mutable_f4e2m1fns, &LiteralProto::f4e2m1fns},
    {33, &APFloat::Float8E8M0FNU, &LiteralProto::mutable_f8e8m0fnus, &LiteralProto::f8e8m0fnus},
};

ArrayRef<char> bytesOf(const std::string &bytes) { return {bytes.data(), bytes.size()}; }

template <typename Numbers> ArrayRef<char> bytesOf(const Numbers &numbers) {
  return {reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(*numbers.data())};
}

/// The elements in the literal's memory order; nothing for element types that literals cannot have.
ArrayRef<char> elementsOf(const LiteralProto &literal, Type type) {
  if (const SmallElements *small = smallElements(literal.shape().element_type()))
    return bytesOf((literal.*small->bytes)());
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

const SmallElements *smallElements(int32_t primitive) {
  const auto *small =
      llvm::find_if(kSmall, [&](const SmallElements &each) { return each.primitive == primitive; });
  return small == std::end(kSmall) ? nullptr : small;
}

DenseElementsAttr constantFrom(const LiteralProto &literal, RankedTensorType type) {
  const ShapeProto &shape = literal.shape();
  Type element = elementType(shape.element_type(), type.getContext());
  if (element != type.getElementType() || !type.hasStaticShape() ||
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
