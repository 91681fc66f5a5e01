// How a kernel's arrays of indices share SMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_INDEXSTREAMS_H
#define SYSTOLE_COMPILER_TILING_INDEXSTREAMS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace systole {

/// The SMEM plan of one kernel. An array of indices is resident, whole in SMEM from the kernel's
/// start, or comes to it in each stage that reads it, whole or in chunks. Only one stage's chunk
/// is live at a time, so the kernel takes the words of its resident arrays and of its largest
/// chunk. As many arrays of at most indexWords() words are resident as fit, the small ones first.
class IndexStreams {
public:
  /// Of the operations of `body`, on a core with `smemWords`.
  IndexStreams(mlir::Block &body, int64_t smemWords);

  bool isResident(mlir::Value indices) const { return resident.contains(indices); }
  bool isStaged(mlir::Value indices) const { return staged.contains(indices); }
  /// Words of the largest chunk: any staged array's at most.
  int64_t chunkWords() const { return most; }
  /// The dimension that chunks of `indices` cut; what is inside of it fits into a chunk.
  int64_t chunkDimOf(mlir::RankedTensorType indices) const;

private:
  int64_t most;
  llvm::SmallSetVector<mlir::Value, 4> resident, staged;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_INDEXSTREAMS_H
