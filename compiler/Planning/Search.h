// Searches for a blocking by which the operations of a kernel run fast.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_SEARCH_H
#define SYSTOLE_COMPILER_PLANNING_SEARCH_H

#include "compiler/Planning/Axes.h"
#include "compiler/Planning/StepBytes.h"

namespace systole {

/// A blocking of the operations of `axes` whose blocks fit into `vmemBytes`: whole if that fits and
/// moves little data; around a large contraction, cut along its rows and columns; else along
/// dimensions in which all of them are parallel. Sums that are done in chunks are cut along these
/// in any case, innermost. Nothing if there is none.
std::optional<Blocking> searchBlocking(Axes &axes, const StepBytes &bytes, int64_t vmemBytes);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_SEARCH_H
