// The border of a padded block: the boxes around its elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_PADBORDERS_H
#define SYSTOLE_COMPILER_PLANNING_PADBORDERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace systole {

struct BorderBox {
  llvm::SmallVector<int64_t> first, sizes;
};

/// Disjoint boxes that cover a block of `shape` but for the box of `sizes` elements from `first`
/// on. None where the border is along the lanes, or has half of the rows or more: then the whole
/// block is filled before the elements are copied.
llvm::SmallVector<BorderBox> borderBoxes(llvm::ArrayRef<int64_t> shape,
                                         llvm::ArrayRef<int64_t> first,
                                         llvm::ArrayRef<int64_t> sizes);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_PADBORDERS_H
