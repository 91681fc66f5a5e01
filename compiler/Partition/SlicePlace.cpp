// Where the cores of a program are in a slice.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/SlicePlace.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::partition {

SmallVector<SmallVector<unsigned>> ordersOfBits(const SlicePlace &place, const Groups &groups) {
  const unsigned bits = llvm::Log2_64(groups.front().size());
  SmallVector<unsigned> outside, inside;
  for (unsigned bit = 0; bit < bits; ++bit) {
    const bool isOutside = llvm::any_of(groups, [&](const auto &group) {
      for (size_t rank = 0; rank < group.size(); ++rank)
        if (place.hops(group[rank], group[rank ^ (size_t(1) << bit)]) > 0)
          return true;
      return false;
    });
    (isOutside ? outside : inside).push_back(bit);
  }
  SmallVector<SmallVector<unsigned>> orders;
  for (size_t first = 0; first < std::max<size_t>(1, outside.size()); ++first) {
    auto &order = orders.emplace_back();
    for (size_t i = 0; i < outside.size(); ++i)
      order.push_back(outside[(first + i) % outside.size()]);
    llvm::append_range(order, inside);
  }
  return orders;
}

} // namespace systole::partition
