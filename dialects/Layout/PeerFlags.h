// Whose the sync flags of a core are.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_LAYOUT_PEERFLAGS_H
#define SYSTOLE_DIALECTS_LAYOUT_PEERFLAGS_H

#include "dialects/Layout/MachineShape.h"

namespace systole {

// Those of the core's own copies. To the others its peers, the cores of its program, add at any
// time.
inline constexpr int kLocalFlags = 64;
static_assert(kLocalFlags < kSyncFlags);

} // namespace systole

#endif // SYSTOLE_DIALECTS_LAYOUT_PEERFLAGS_H
