// Who owns the sync flags of a core in a compiled program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_KERNEL_SYNCFLAGS_H
#define SYSTOLE_DIALECTS_KERNEL_SYNCFLAGS_H

#include "dialects/Layout/PeerFlags.h"

namespace systole::kernel {

/// Those of peers: the flag by which core c says that its memory may be written is kFirstReadyFlag + c. By those
/// from kFirstArrivalFlag on, copies from other cores arrive, at most so many phases of a
/// collective operation apart.
inline constexpr int kFirstReadyFlag = kLocalFlags, kReadyFlags = 32;
inline constexpr int kFirstArrivalFlag = kFirstReadyFlag + kReadyFlags;
inline constexpr int kArrivalFlags = kSyncFlags - kFirstArrivalFlag;
/// The first flags are those of a kernel's operands; each kernel begins and ends with them at 0.
inline constexpr int kOperandFlags = 32;
/// Those from kFirstCopyFlag up to kLastCopyFlag are of copies that are in flight while kernels
/// run, one for each such copy (AsyncCopies.td).
inline constexpr int kFirstCopyFlag = kOperandFlags, kLastCopyFlag = kLocalFlags - 3;
inline constexpr int kCopyFlags = kLastCopyFlag - kFirstCopyFlag + 1;
/// Enough for the loads of a loop, and for copies to and from the host inside of a loop and staged
/// for its next iteration.
inline constexpr int kMostLoads = kCopyFlags / 3, kMostHostCopies = kCopyFlags / 6;
static_assert(kMostLoads + 4 * kMostHostCopies <= kCopyFlags);
/// That of the first blocks which a kernel loads for the next one, and waits for at its end.
inline constexpr int kNextBlocksFlag = kLocalFlags - 2;
/// That of copies which stages of a kernel, or the program between kernels, wait for themselves.
inline constexpr int kStageFlag = kLocalFlags - 1;

} // namespace systole::kernel

#endif // SYSTOLE_DIALECTS_KERNEL_SYNCFLAGS_H
