// Which blockings a kernel can follow.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_LEGALITY_H
#define SYSTOLE_COMPILER_PLANNING_LEGALITY_H

#include "compiler/Planning/Axes.h"

#include <string>

namespace systole {

/// Why no kernel can follow a blocking.
struct Violation {
  std::string reason; ///< a sentence about the plan, "it"
  mlir::Value value;  ///< where that shows
};

/// The first demand of DMA or of the grid's order that `blocking` does not meet; nothing if it
/// meets all. VMEM is not looked at. That is the first one that its axes do not meet in tiles of
/// any size, else the first one that its tiles do not.
std::optional<Violation> violationOf(const Blocking &blocking, const Axes &axes);
std::optional<Violation> axesViolationOf(const Blocking &blocking, const Axes &axes);
std::optional<Violation> tilesViolationOf(const Blocking &blocking, const Axes &axes);

/// The first sum whose order `blocking` does not keep: that depends on its chunks alone, which have
/// their own axes.
std::optional<Violation> orderViolationOf(const Blocking &blocking, const Axes &axes);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_LEGALITY_H
