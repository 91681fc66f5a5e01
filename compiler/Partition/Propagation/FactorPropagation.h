// Propagation along the factors of one operation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_PROPAGATION_FACTORPROPAGATION_H
#define SYSTOLE_COMPILER_PARTITION_PROPAGATION_FACTORPROPAGATION_H

#include "compiler/Partition/Propagation/Projection.h"

#include "llvm/ADT/BitVector.h"

namespace systole::partition {

/// Where axes may be propagated; the values of a union of them are the unions of their bits.
enum Direction : unsigned { kNowhere = 0, kForward = 1, kBackward = 2, kBoth = 3 };

using DirectionOf = llvm::function_ref<Direction(int64_t factor)>;

/// Propagates axes to each tensor that is not in conflict with them by itself. Of factors that want
/// the same axes the one that a larger tensor has comes first. Returns the tensors that have become
/// divided further.
llvm::BitVector propagateFactors(Projection &projection, llvm::ArrayRef<int64_t> sizes,
                                 DirectionOf directionOf, bool isElementwise);

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_PROPAGATION_FACTORPROPAGATION_H
