// The indices that windows of a kernel's operands may have.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_KERNEL_WINDOWBOUNDS_H
#define SYSTOLE_DIALECTS_KERNEL_WINDOWBOUNDS_H

#include "dialects/Kernel/Kernel.h"

#include <optional>

namespace systole::kernel {

/// The sequencer adds indices and extents of windows in 32 bits.
inline constexpr int64_t kMostWindowIndices = int64_t(1) << 30;

/// The first dimension in which a window of `operand`, at some point of the grid, is empty or
/// reaches kMostWindowIndices elements from the start of its buffer; nothing if there is none.
std::optional<size_t> windowBeyondIndices(OperandAttr operand, llvm::ArrayRef<int64_t> grid);

} // namespace systole::kernel

#endif // SYSTOLE_DIALECTS_KERNEL_WINDOWBOUNDS_H
