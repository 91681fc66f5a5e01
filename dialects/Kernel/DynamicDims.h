// Arguments and results that are sizes of arrays.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_KERNEL_DYNAMICDIMS_H
#define SYSTOLE_DIALECTS_KERNEL_DYNAMICDIMS_H

#include "llvm/ADT/StringRef.h"

namespace systole::kernel {

/// On a scalar argument or result of the entry: the dimension of the array before it whose size it
/// is. The array is padded there.
inline constexpr llvm::StringLiteral kDynamicDimAttr = "kernel.dynamic_dim";

} // namespace systole::kernel

#endif // SYSTOLE_DIALECTS_KERNEL_DYNAMICDIMS_H
