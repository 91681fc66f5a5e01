// Sizes from which on the bytes of a collective operation cost more than its latency.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PARTITION_EXCHANGESIZES_H
#define SYSTOLE_COMPILER_PARTITION_EXCHANGESIZES_H

#include "mlir/IR/BuiltinTypes.h"

namespace systole::partition {

/// Bytes of an array below which latency counts more than the bytes that its copies take: at 70
/// GB/s a link carries them in the microsecond that it takes to arrive.
inline constexpr int64_t kSmallBytes = 64 << 10;
/// Small reductions that are one: a kernel has a flag for each of its operands.
inline constexpr size_t kMostCombined = 16;

inline int64_t bytesOf(mlir::RankedTensorType type) { return type.getNumElements() * 4; }
inline bool isSmall(mlir::RankedTensorType type) { return bytesOf(type) < kSmallBytes; }

} // namespace systole::partition

#endif // SYSTOLE_COMPILER_PARTITION_EXCHANGESIZES_H
