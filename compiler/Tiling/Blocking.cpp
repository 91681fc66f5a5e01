// How the operations of a kernel are cut into grid steps: cuts and blocks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/Blocking.h"

#include "runtime/Device/Layout.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace systole {

static constexpr int64_t kLanes = 128;
static constexpr int64_t kSublanes = 8;
static constexpr int64_t kRowBytes = 512;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

int64_t blockBytes(ArrayRef<int64_t> shape, Type elementType) {
  RowShape matrix;
  if (!shape.empty()) {
    matrix.columns = shape.back();
    for (int64_t size : shape.drop_back())
      matrix.rows *= size;
  }
  return matrix.physicalRows(std::max(8u, elementType.getIntOrFloatBitWidth())) * kRowBytes;
}

int64_t paddedBytes(RankedTensorType type) {
  return blockBytes(type.getShape(), type.getElementType());
}

int64_t payloadBytes(RankedTensorType type) {
  return type.getNumElements() * std::max<int64_t>(8, type.getElementTypeBitWidth()) / 8;
}

std::optional<int64_t> Cut::dimOf(Value value) const {
  auto it = dims.find(value);
  return it == dims.end() ? std::nullopt : std::optional(it->second);
}

bool Blocking::isCut(Value value) const {
  return llvm::any_of(cuts, [&](const Cut &cut) { return cut.dims.contains(value); });
}

SmallVector<int64_t> Blocking::blockShape(Value value) const {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  for (const Cut &cut : cuts)
    if (auto dim = cut.dimOf(value))
      shape[*dim] = std::min(shape[*dim], cut.blockSize);
  return shape;
}

std::optional<int64_t> Cut::quantum(bool vectors, llvm::function_ref<bool(Value)> isInHbm) const {
  int64_t result = 1;
  for (auto [value, dim] : dims) {
    if (!isInHbm(value))
      continue;
    RankedTensorType type = typeOf(value);
    int64_t packing = 32 / std::max<int64_t>(8, type.getElementTypeBitWidth());
    int64_t wanted = vectors ? kSublanes : packing;
    // Logical rows of one element of the dimension, and of all of them.
    int64_t inner = 1, outer = 1, elements = kLanes, rows;
    for (int64_t d = 0; d + 1 < type.getRank(); ++d)
      if (d != dim)
        (d < dim ? outer : inner) *= type.getDimSize(d);
    if (dim + 1 == type.getRank()) {
      rows = llvm::divideCeil(size, kLanes);
      wanted = vectors && outer == 1 ? kSublanes : packing;
    } else {
      elements = 1;
      inner *= llvm::divideCeil(type.getShape().back(), kLanes);
      rows = size * inner;
    }
    if (outer > 1 && rows % packing != 0)
      return std::nullopt;
    if (llvm::alignTo(rows, std::lcm(inner, packing)) > llvm::alignTo(rows, kSublanes))
      return std::nullopt;
    result = std::lcm(result, elements * (wanted / std::gcd(wanted, inner)));
  }
  return result;
}

const Cut *Blocking::chunksOf(Operation *op) const {
  for (const Cut &cut : cuts)
    if (llvm::is_contained(cut.accumulating, op))
      return &cut;
  return nullptr;
}

} // namespace systole
