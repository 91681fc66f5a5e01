// What planning knows of the machine.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_PLANNINGCONTEXT_H
#define SYSTOLE_COMPILER_PLANNING_PLANNINGCONTEXT_H

#include <cstdint>

namespace systole {

class Target;

/// What planning knows of the machine, from its description alone.
struct PlanningContext {
  explicit PlanningContext(const Target &target);

  int64_t vmemBytes; ///< that the blocks of one kernel may take
  int64_t smemWords; ///< of SMEM
  int64_t hbmRows;   ///< rows of 512 bytes that a core has

  /// What the blocks of operations that nothing can be taken from may take: the buffers of their
  /// stages have to do with the rest.
  int64_t mostVmemBytes() const { return vmemBytes / 4 * 7; }
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_PLANNINGCONTEXT_H
