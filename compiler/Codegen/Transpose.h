// Copies that transpose lanes and rows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_TRANSPOSE_H
#define SYSTOLE_COMPILER_CODEGEN_TRANSPOSE_H

#include "compiler/Codegen/CopyBox.h"

namespace systole::codegen {

/// The dimensions of `box` that a transposition exchanges; -1 for a single lane.
struct TransposePlan {
  int srcLane = -1; // one lane per step in the source, rows in the destination
  int dstLane = -1; // one lane per step in the destination, rows in the source
  double cost = 0;  // estimated cycles
};
std::optional<TransposePlan> planTranspose(const CopyBox &box);

void emitTranspose(const CopyWork &work, const CopyBox &box, const TransposePlan &plan);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_TRANSPOSE_H
