// The shape of vector registers, rows of memory and MXUs, which all targets share.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_LAYOUT_MACHINESHAPE_H
#define SYSTOLE_DIALECTS_LAYOUT_MACHINESHAPE_H

#include <cstdint>

namespace systole {

// A vector register is kSublanes x kLanes cells; a row of VMEM or HBM is one sublane of it.
inline constexpr int64_t kSublanes = 8;
inline constexpr int64_t kLanes = 128;
inline constexpr int64_t kCellBytes = 4;
inline constexpr int64_t kRowBytes = kLanes * kCellBytes;

// Synchronisation flags of a core.
inline constexpr int kSyncFlags = 128;

} // namespace systole

#endif // SYSTOLE_DIALECTS_LAYOUT_MACHINESHAPE_H
