// Orders of dimensions, and what they cost.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/Order.h"

#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"
#include "dialects/Layout/RowLayout.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace systole {

Order rowMajor(int64_t rank) { return llvm::to_vector<4>(llvm::seq<int64_t>(0, rank)); }

bool isRowMajor(ArrayRef<int64_t> order) {
  return llvm::equal(order, llvm::seq<int64_t>(0, order.size()));
}

Order compactRowMajor(RankedTensorType type) {
  Order order = rowMajor(type.getRank());
  auto last =
      llvm::find_if(llvm::reverse(order), [&](int64_t d) { return type.getDimSize(d) != 1; });
  if (last != order.rend())
    std::rotate(last.base() - 1, last.base(), order.end());
  return order;
}

Order inverse(ArrayRef<int64_t> order) {
  Order places(order.size());
  for (auto [place, d] : llvm::enumerate(order))
    places[d] = place;
  return places;
}

Order preferredOrder(RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  std::vector<int64_t> minorToMajor = entryOrder({shape.data(), shape.size()});
  return llvm::to_vector<4>(llvm::reverse(minorToMajor));
}

RankedTensorType physicalType(RankedTensorType type, ArrayRef<int64_t> order) {
  return type.clone(inOrder(type.getShape(), order));
}

RankedTensorType logicalType(RankedTensorType physical, ArrayRef<int64_t> order) {
  return physicalType(physical, inverse(order));
}

Order withoutUnits(RankedTensorType type, ArrayRef<int64_t> order) {
  return llvm::to_vector<4>(
      llvm::make_filter_range(order, [&](int64_t d) { return type.getDimSize(d) != 1; }));
}

int64_t bytesIn(RankedTensorType type, ArrayRef<int64_t> order) {
  SmallVector<int64_t> minorToMajor(llvm::reverse(order));
  int bits = std::max(8u, type.getElementTypeBitWidth());
  return physicalRows(type.getShape(), minorToMajor, bits) * kRowBytes;
}

int64_t relayoutBytes(RankedTensorType type, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (from == to)
    return 0;
  if (withoutUnits(type, from) == withoutUnits(type, to) &&
      type.getDimSize(from.back()) == type.getDimSize(to.back()))
    return 0;
  return bytesIn(type, from) + bytesIn(type, to);
}

} // namespace systole
