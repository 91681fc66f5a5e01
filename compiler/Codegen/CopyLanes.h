// Copies that keep lanes in lanes: whole rows, rotated rows, gathered lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_COPYLANES_H
#define SYSTOLE_COMPILER_CODEGEN_COPYLANES_H

#include "compiler/Codegen/CopyBox.h"
#include "compiler/Model/CopyPlan.h"

namespace systole::codegen {

/// Emits a part of the copy of `box`.
void emitLanes(const CopyWork &work, const CopyBox &box, const LanePart &part);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_COPYLANES_H
