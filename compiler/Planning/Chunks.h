// Reductions too large for one step of a grid: the chunks in which they are done.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_CHUNKS_H
#define SYSTOLE_COMPILER_PLANNING_CHUNKS_H

#include "dialects/StableHLO/StableHLO.h"

#include <optional>

namespace systole {

/// A dimension of an operation's operand, over which it sums chunk by chunk: the result is the
/// chunks' results combined in ascending order.
struct Chunks {
  int64_t dim = 0;
  int64_t size = 0; ///< elements of a chunk; the last one may be shorter
  unsigned operand = 0;
  /// Chunks of any multiple of `size` elements, or all at once, give the same bits.
  bool isFree = false;
};

/// The chunks of a reduction, contraction or convolution, of several dimensions the outermost
/// first; none if it is done at once. Those of a reduction are part of its order (SumOrder.h),
/// those of others depend on shapes in which no layout makes a difference. Those of a product in
/// one pass of the MXU are free; it is done at once where narrow operands cannot be divided.
llvm::SmallVector<Chunks, 2> chunksOf(mlir::Operation *op);

/// The first `count` indices of dimension `dim` of a filter's gradient, by the operand that is the
/// window: images, or positions of one dimension.
struct FirstPositions {
  int64_t dim = 0, count = 0;
};
/// Those that take fewer cycles if they are summed in chunks without the others than any chunks
/// that divide the dimension; nothing if there are none.
std::optional<FirstPositions> positionsForChunks(stablehlo::ConvolutionOp op);

/// Whether the results of `op` stay in their blocks from chunk to chunk even if nobody reads one of
/// them: the next chunk does. They are results of the kernel.
bool staysForChunks(mlir::Operation *op);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_CHUNKS_H
