// The border of a padded block.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/PadBorders.h"

#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using llvm::ArrayRef;
using llvm::SmallVector;

namespace systole {

/// Vectors of eight rows that a box of whole rows takes.
static int64_t vectorsOf(ArrayRef<int64_t> sizes) {
  int64_t rows = llvm::divideCeil(sizes.back(), kLanes);
  for (int64_t size : sizes.drop_back())
    rows *= size;
  return llvm::divideCeil(rows, kSublanes);
}

SmallVector<BorderBox> borderBoxes(ArrayRef<int64_t> shape, ArrayRef<int64_t> first,
                                   ArrayRef<int64_t> sizes) {
  if (shape.empty() || sizes.back() != shape.back())
    return {};
  // Outer dimensions first: of those, inner boxes have what is between their edges.
  SmallVector<BorderBox> boxes;
  BorderBox rest{SmallVector<int64_t>(shape.size(), 0), SmallVector<int64_t>(shape)};
  int64_t vectors = 0;
  for (size_t dim = 0; dim + 1 < shape.size(); ++dim) {
    int64_t end = first[dim] + sizes[dim];
    for (auto [begin, size] :
         {std::pair(int64_t(0), first[dim]), std::pair(end, shape[dim] - end)}) {
      if (size == 0)
        continue;
      BorderBox box = rest;
      box.first[dim] = begin;
      box.sizes[dim] = size;
      vectors += vectorsOf(box.sizes);
      boxes.push_back(std::move(box));
    }
    rest.first[dim] = first[dim];
    rest.sizes[dim] = sizes[dim];
  }
  return 2 * vectors < vectorsOf(shape) ? boxes : SmallVector<BorderBox>();
}

} // namespace systole
