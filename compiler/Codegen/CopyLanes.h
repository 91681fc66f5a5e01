// Copies that keep lanes along lanes: whole rows, rotated rows, gathered lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_COPYLANES_H
#define SYSTOLE_COMPILER_CODEGEN_COPYLANES_H

#include "compiler/Codegen/CopyBox.h"

namespace systole::codegen {

/// A part of a copy: which dimension of the box runs along the lanes and which
/// along the sublanes of a vector register; -1 for none, the others are loops.
struct LanePart {
  CopyBox box;
  int lane = -1, sublane = -1;
  double cost = 0; // cycles, estimated
};

/// The cheapest parts that together make up `box`. There always are some: with
/// no dimension along the lanes a copy of element by element is left.
struct LanePlan {
  llvm::SmallVector<LanePart, 3> parts;
  double cost = 0;
};
LanePlan planLanes(Emitter &e, const CopyBox &box);

void emitLanes(const CopyWork &work, const LanePart &part);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_COPYLANES_H
