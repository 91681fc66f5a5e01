// The size of a program's table of log messages, for the compiler and for programs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_LAYOUT_LOGTABLE_H
#define SYSTOLE_DIALECTS_LAYOUT_LOGTABLE_H

namespace systole {

// Of the field of `log.word` (dialects/Core/Sequencer.td).
inline constexpr int kMostLogMessages = 1 << 12;

} // namespace systole

#endif // SYSTOLE_DIALECTS_LAYOUT_LOGTABLE_H
