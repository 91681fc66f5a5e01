// Scalars of addresses: those that differ by constants share one, and those of interleaved and of
// fused loops are carried from iteration to iteration.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_SHAREADDRESSES_H
#define SYSTOLE_COMPILER_SCHEDULE_SHAREADDRESSES_H

namespace systole::machine {

struct Function;

/// Vector loads and stores of a block whose addresses differ by a constant use the scalar of the
/// first one, with offsets. In interleaved and in fused loops, which are short of scalars, sums of a
/// loop-carried value and invariants become loop-carried values; in fused loops the addresses of
/// each part's stores do, which are used many cycles after those of its loads. Scalars that nothing
/// uses any more remain.
void shareAddresses(Function &f);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_SHAREADDRESSES_H
