// LLVM_DEBUG for builds with assertions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_DIAGNOSTICS_DEBUG_H
#define SYSTOLE_COMPILER_DIAGNOSTICS_DEBUG_H

#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"

// A file that uses LLVM_DEBUG defines DEBUG_TYPE, the name that systole-opt's -debug-only selects
// it by: that of the pass, or systole- and the part of the backend.
//
// LLVM's header takes its macros away under NDEBUG, which builds with assertions define, too (see
// cmake/assertions/assert.h). The functions behind them are in every LLVM.
#ifdef SYSTOLE_ENABLE_ASSERTIONS
#undef isCurrentDebugType
#undef setCurrentDebugType
#undef setCurrentDebugTypes
#undef DEBUG_WITH_TYPE

namespace llvm {
bool isCurrentDebugType(const char *type, int level);
void setCurrentDebugTypes(const char **types, unsigned count);
} // namespace llvm

#define DEBUG_WITH_TYPE(type, ...)                                                                 \
  do                                                                                               \
    if (::llvm::DebugFlag && ::llvm::isCurrentDebugType(type, 1)) {                                \
      __VA_ARGS__;                                                                                 \
    }                                                                                              \
  while (false)
#endif

#endif // SYSTOLE_COMPILER_DIAGNOSTICS_DEBUG_H
