// The routines that the entry calls, with those that each of them alone reaches, and the order in
// which they run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_EMIT_CALLGROUPS_H
#define SYSTOLE_COMPILER_EMIT_CALLGROUPS_H

#include "compiler/Emit/CodeLayout.h"

namespace systole::machine {

/// A routine that the entry calls, with all that it alone reaches.
struct CallGroup {
  uint32_t root;
  std::vector<uint32_t> members; // none if others reach the root, too
  int64_t size = 0;              // bundles
  int64_t calls = 0;
};

struct CallGroups {
  CallGroups(const Module &module, const std::vector<RoutineCode> &routines);

  /// In the order of their first calls, then routines that nothing calls.
  std::vector<CallGroup> groups;
  std::vector<uint32_t> shared;      // routines that several groups reach, the entry first
  std::vector<uint32_t> groupOfCall; // by call of the entry
  /// Calls of the entry as they run: both branches of a condition, two iterations of a loop.
  std::vector<uint32_t> sequence;
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_EMIT_CALLGROUPS_H
