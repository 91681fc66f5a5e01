// Which parts of an array in the memory of the host one copy can access.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Host/HostParts.h"

#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/RowLayout.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether a slice of `sizes` at `starts` of the dimensions behind the first is all of them.
static bool takesOthers(RankedTensorType array, ArrayRef<int64_t> sizes) {
  return array.getRank() > 0 && sizes.drop_front() == array.getShape().drop_front();
}

template <typename Op> static std::optional<HostPart> dynamicPart(Op op, ArrayRef<int64_t> sizes) {
  Value array = op.getOperand();
  if (!takesOthers(typeOf(array), sizes))
    return std::nullopt;
  // All starts of whole dimensions are clamped to 0.
  return HostPart{array, op.getStartIndices().front(), 0, sizes.front(),
                  typeOf(array).getDimSize(0)};
}

std::optional<HostPart> hostPartOf(Operation *op) {
  if (auto slice = dyn_cast<DynamicSliceOp>(op))
    return dynamicPart(slice, slice.getType().getShape());
  if (auto update = dyn_cast<DynamicUpdateSliceOp>(op))
    return dynamicPart(update, typeOf(update.getUpdate()).getShape());
  auto slice = dyn_cast<SliceOp>(op);
  if (!slice || !takesOthers(typeOf(slice.getOperand()), slice.getType().getShape()) ||
      slice.getStrides().front() != 1)
    return std::nullopt;
  return HostPart{slice.getOperand(), nullptr, slice.getStartIndices().front(),
                  slice.getType().getDimSize(0), typeOf(slice.getOperand()).getDimSize(0)};
}

RankedTensorType lyingType(RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  const int64_t tile = entryTile({shape.data(), shape.size()});
  if (tile == 1)
    return type;
  SmallVector<int64_t> lying(shape);
  lying[lying.size() - 2] /= tile;
  lying.back() *= tile;
  return type.clone(lying);
}

/// Bits of an element in a row: those of less than a byte take one, larger ones are planes.
static int bitsInRow(Type element) {
  if (!element.isIntOrFloat())
    return 32;
  const int bits = int(element.getIntOrFloatBitWidth());
  return bits <= 8 ? 8 : bits <= 16 ? 16 : 32;
}

bool isRunOfRows(RankedTensorType array, int64_t count) {
  const int64_t rank = array.getRank();
  if (rank < 2 || count == 0)
    return false;
  SmallVector<int64_t> part(array.getShape());
  part.front() = count;
  RankedTensorType partType = array.clone(part);
  auto orderOf = [](RankedTensorType type) {
    ArrayRef<int64_t> shape = type.getShape();
    return entryOrder({shape.data(), shape.size()});
  };
  const std::vector<int64_t> order = orderOf(array);
  const RankedTensorType whole = lyingType(array), lying = lyingType(partType);
  if (order.back() != 0 || orderOf(partType) != order ||
      whole.getShape().drop_front() != lying.getShape().drop_front() ||
      whole.getDimSize(0) * count != lying.getDimSize(0) * array.getDimSize(0))
    return false;
  const int bits = bitsInRow(array.getElementType());
  auto rowsOf = [&](RankedTensorType type) {
    ArrayRef<int64_t> shape = type.getShape();
    return rowShape({shape.data(), shape.size()}, order, bits);
  };
  const RowShape all = rowsOf(whole), some = rowsOf(lying);
  if (all.padding != some.padding || array.getNumElements() == 0 ||
      all.rows % array.getDimSize(0) != 0)
    return false;
  // Rows of one position.
  const int64_t rows = all.padding.padded(all.rows / array.getDimSize(0) * all.rowsPerRow());
  return rows * bits % 32 == 0;
}

} // namespace systole
