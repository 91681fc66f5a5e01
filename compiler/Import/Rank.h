// The maximum rank of tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_RANK_H
#define SYSTOLE_COMPILER_IMPORT_RANK_H

#include <cstdint>

namespace systole {

/// Four times NumPy's maximum.
inline constexpr int64_t kMaxRank = 256;

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_RANK_H
