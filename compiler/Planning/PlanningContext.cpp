// Machine parameters of planning.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/PlanningContext.h"

#include "dialects/Layout/MachineShape.h"
#include "dialects/Machine/Target/Target.h"

namespace systole {

/// The reciprocal of VMEM's share that blocks may take. Buffers that stages need beside blocks
/// (split operands, transposed blocks, spills) get the rest.
static constexpr int64_t kBlocksShare = 2;

PlanningContext::PlanningContext(const Target &target, int precision)
    : model(target), precision(precision), vmemBytes(target.vmemRows() * kRowBytes / kBlocksShare),
      smemWords(target.smemWords()), hbmRows(target.hbmRows()) {}

} // namespace systole
