// The chunks of a sum that one step of a grid does.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_STEPCHUNKS_H
#define SYSTOLE_COMPILER_PLANNING_STEPCHUNKS_H

#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/Chunks.h"

namespace systole {

/// Chunks that a step does one after the other, at most: each has code of its own.
inline constexpr int64_t kMostStepChunks = 8;

/// One chunk of a step's block: its first index and its size along each dimension of the operand.
struct StepChunk {
  llvm::SmallVector<int64_t> first, shape;
};

/// Of a sum that is done in chunks, how many of them a step of `blocking` does along each dimension
/// of `chunksOf(op)`. Steps of a reduction take several: along one axis as many as its tile has,
/// and all along the dimensions inside of it, of which there is no axis. Products do one, which
/// may have any multiple of its size where chunks are free. Nothing
/// if `blocking` does not keep the order of the sum.
std::optional<llvm::SmallVector<int64_t>> stepChunksOf(mlir::Operation *op,
                                                       const Blocking &blocking);

/// The chunks of a step in the order in which they are combined, which is the whole block where
/// nothing is done in chunks, or `blocking` does not keep the order.
llvm::SmallVector<StepChunk> chunksOfBlock(mlir::Operation *op, const Blocking &blocking);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_STEPCHUNKS_H
