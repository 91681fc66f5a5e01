// Parts of buffers that are buffers themselves.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Parts.h"

#include "compiler/Model/KnownFactor.h"
#include "dialects/Kernel/Views.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace systole::mosaic {

bool mayOverlap(Value a, Value b) {
  if (kernel::rootOf(a) != kernel::rootOf(b))
    return false;
  auto x = a.getDefiningOp<kernel::RowsOp>(), y = b.getDefiningOp<kernel::RowsOp>();
  APInt first, second;
  if (!x || !y || x.getSource() != y.getSource() ||
      !matchPattern(x.getRow(), m_ConstantInt(&first)) ||
      !matchPattern(y.getRow(), m_ConstantInt(&second)))
    return true;
  const int64_t rowX = first.getSExtValue(), rowY = second.getSExtValue();
  return rowX < rowY + y.getResult().getType().getLogicalRows() &&
         rowY < rowX + x.getResult().getType().getLogicalRows();
}

/// The dimension along which the elements of a box are consecutive rows of its buffer: it has one
/// index of those outside, and all of those inside. Nothing if there is none, or it is the last.
static std::optional<int64_t> rowDimOf(const Ref &box) {
  ArrayRef<int64_t> shape = box.type().getShape();
  const SmallVector<int64_t> sizes = box.box();
  int64_t dim = 0;
  while (dim + 1 < int64_t(shape.size()) && sizes[dim] == 1)
    ++dim;
  for (int64_t inner = dim + 1; inner < int64_t(shape.size()); ++inner)
    if (sizes[inner] != shape[inner] || box.first[inner] != Index())
      return std::nullopt;
  return dim + 1 < int64_t(shape.size()) ? std::optional(dim) : std::nullopt;
}

Ref BufferParts::take(OpBuilder &b, Location loc, const Ref &box) {
  kernel::BufferType type = box.type();
  if (type.getSpace() != kernel::Space::vmem || type.getRank() < 2 || box.isWhole())
    return box;
  auto part =
      kernel::BufferType::get(b.getContext(), box.box(), type.getElementType(), type.getSpace());
  std::optional<int64_t> along = rowDimOf(box);
  if (!along || !kernel::isWholeVectors(part) || !type.getPadding().isNone())
    return box;
  Ref whole = box;
  whole.first.assign(box.first.size(), Index());
  auto known = llvm::find_if(parts, [&](std::pair<Ref, Value> &each) {
    return each.first.buffer == box.buffer && each.first.first == box.first &&
           each.second.getType() == part &&
           each.second.getParentRegion()->isAncestor(b.getInsertionBlock()->getParent());
  });
  if (known != parts.end()) {
    whole.buffer = known->second;
    return whole;
  }
  const int64_t packing = 32 / type.getStorageBits();
  Index row;
  for (int64_t dim = 0; dim <= *along; ++dim) {
    const Index &first = box.first[dim];
    const int64_t pitch = type.getPitch(dim);
    if (first.constant * pitch % packing != 0 ||
        (first.value && knownFactor(first.value) * pitch % packing != 0))
      return box;
    row = add(b, loc, row, multiply(b, loc, first, pitch));
  }
  whole.buffer = kernel::RowsOp::create(b, loc, part, box.buffer, materialize(b, loc, row),
                                        /*aligned=*/true);
  parts.emplace_back(box, whole.buffer);
  return whole;
}

} // namespace systole::mosaic
