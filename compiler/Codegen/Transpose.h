// Copies that transpose lanes and rows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_TRANSPOSE_H
#define SYSTOLE_COMPILER_CODEGEN_TRANSPOSE_H

#include "compiler/Codegen/CopyBox.h"
#include "compiler/Model/CopyPlan.h"

namespace systole::codegen {

void emitTranspose(const CopyWork &work, const CopyBox &box, const TransposePlan &plan);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_TRANSPOSE_H
