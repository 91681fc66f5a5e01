// What padding of the layouts costs a kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_PADDING_H
#define SYSTOLE_COMPILER_PLANNING_PADDING_H

#include "compiler/Decisions/Decisions.h"
#include "compiler/Planning/Blocking.h"
#include "dialects/Kernel/Kernel.h"

namespace systole {

/// Of the kernel of `fusion` with these blocks.
PaddingCost paddingOf(kernel::FusionOp fusion, const Blocking &blocking);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_PADDING_H
