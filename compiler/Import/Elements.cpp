// Elements of constants in portable artifacts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Elements.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

/// The number of elements of a static type, unless it overflows.
static std::optional<int64_t> countElements(RankedTensorType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(elements, size, elements) || elements > (int64_t(1) << 48))
      return std::nullopt;
  return elements;
}

DenseElementsAttr elementsFrom(Type type, ArrayRef<char> bytes) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !countElements(tensor))
    return {};
  Type element = tensor.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  bool isSplat = false;
  if (!element.isIntOrIndexOrFloat() ||
      !DenseElementsAttr::isValidRawBuffer(tensor, bytes, isSplat))
    return {};
  return DenseElementsAttr::getFromRawBuffer(tensor, bytes);
}

DenseElementsAttr predicatesFrom(RankedTensorType type, ArrayRef<char> bytes) {
  if (!type.hasStaticShape() || !type.getElementType().isSignlessInteger(1))
    return {};
  std::optional<int64_t> count = countElements(type);
  if (!count)
    return {};
  uint64_t elements = *count;
  SmallVector<bool> values;
  if (bytes.size() == llvm::divideCeil(elements, 8)) {
    for (uint64_t i = 0; i < elements; ++i)
      values.push_back(bytes[i / 8] >> (i % 8) & 1);
  } else if (bytes.size() == 1) {
    values.push_back(bytes[0] != 0);
  } else if (bytes.size() == elements) {
    for (char byte : bytes)
      values.push_back(byte != 0);
  } else {
    return {};
  }
  return DenseElementsAttr::get(type, values);
}

std::string bytesOfPredicates(DenseElementsAttr elements) {
  if (elements.isSplat() && elements.getNumElements() > 1)
    return std::string(1, elements.getSplatValue<bool>() ? '\xff' : '\0');
  std::string bytes(llvm::divideCeil(elements.getNumElements(), 8), '\0');
  for (auto [i, value] : llvm::enumerate(elements.getValues<bool>()))
    if (value)
      bytes[i / 8] |= 1 << (i % 8);
  return bytes;
}

} // namespace systole
