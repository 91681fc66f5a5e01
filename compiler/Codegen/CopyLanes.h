// Copies that keep lanes in lanes: whole rows, rotated rows, gathered lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_COPYLANES_H
#define SYSTOLE_COMPILER_CODEGEN_COPYLANES_H

#include "compiler/Codegen/CopyBox.h"

namespace systole::codegen {

/// A part of a copy: the dimensions of the box along the lanes and along the sublanes of a vector
/// register, -1 for none; the others are loops.
struct LanePart {
  CopyBox box;
  int lane = -1, sublane = -1;
  double cost = 0; // estimated cycles
};

/// The cheapest parts that together make up `box`. There is always a solution: without a dimension
/// along the lanes elements are copied one by one.
struct LanePlan {
  llvm::SmallVector<LanePart, 3> parts;
  double cost = 0;
};
LanePlan planLanes(Emitter &e, const CopyBox &box);

void emitLanes(const CopyWork &work, const LanePart &part);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_COPYLANES_H
