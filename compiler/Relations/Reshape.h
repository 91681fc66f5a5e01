// Dimensions that two shapes of equally many elements have in common.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_RELATIONS_RESHAPE_H
#define SYSTOLE_COMPILER_RELATIONS_RESHAPE_H

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace systole {

/// The coarsest shape that refines `a` and `b`: each of their sizes is a product of neighbouring
/// sizes of it. Nothing if there is none, as for [4, 6] and [6, 4].
std::optional<llvm::SmallVector<int64_t>> commonRefinement(llvm::ArrayRef<int64_t> a,
                                                           llvm::ArrayRef<int64_t> b);

} // namespace systole

#endif // SYSTOLE_COMPILER_RELATIONS_RESHAPE_H
