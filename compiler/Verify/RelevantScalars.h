// Finds the scalars of a routine on which copies and sync flags depend.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_VERIFY_RELEVANTSCALARS_H
#define SYSTOLE_COMPILER_VERIFY_RELEVANTSCALARS_H

#include "compiler/Verify/RoutineTree.h"

namespace systole::verify {

/// Marks the relevant instructions of a tree, and the relevant scalars at loops and segments: a
/// backward data-flow analysis, in which a scalar is live only if something relevant depends on it.
/// Iterations of a `while`, and which of them is the last one, do not count as relevant.
void markRelevantScalars(const Program &program, RoutineTree &tree);

} // namespace systole::verify

#endif // SYSTOLE_COMPILER_VERIFY_RELEVANTSCALARS_H
