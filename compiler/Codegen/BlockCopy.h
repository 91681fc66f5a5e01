// Copies of one operand's blocks between HBM and VMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_BLOCKCOPY_H
#define SYSTOLE_COMPILER_CODEGEN_BLOCKCOPY_H

#include "compiler/Codegen/Emitter.h"

namespace systole::codegen {

/// The copy of a block as one or several DMAs. A block consists of nested runs of rows; the
/// innermost contiguous run is the DMA's chunk, one level of runs its count, the others are loops.
/// Rows beyond either end of the tensor are clipped.
class BlockCopy {
public:
  BlockCopy(kernel::BufferType type, kernel::OperandAttr operand);

  /// The number of DMAs of one block: each increments the flag.
  int64_t dmaCount() const { return dmas; }
  /// Whether each of them copies something of every block that exists, and so takes its turn:
  /// otherwise it is done at once.
  bool isNeverEmpty() const;

  enum class Direction { in, out };
  /// The first row of 512 bytes of the block with the given index in each dimension.
  mlir::Value hbmRow(Emitter &e, llvm::ArrayRef<mlir::Value> block) const;
  /// Starts the copy of a block from or to row `hbmRow` of `hbmRegion`.
  /// `vmemRow` is a row of 512 bytes of region `vmemRegion`. At most `maxInFlight`
  /// DMAs are in flight. Afterwards waitCount(maxInFlight) DMAs remain to be waited
  /// for. Where `condition` (null: 1) is 0 they copy nothing.
  void start(Emitter &e, Direction direction, mlir::Value hbmRegion, mlir::Value hbmRow,
             int32_t vmemRegion, mlir::Value vmemRow, llvm::ArrayRef<mlir::Value> block, int flag,
             int64_t maxInFlight, mlir::Value condition) const;
  int64_t waitCount(int64_t maxInFlight) const { return std::min(dmas, maxInFlight); }

private:
  /// Runs at equal distances along one dimension, in rows of 512 bytes.
  struct Level {
    int64_t count, hbmStride, vmemStride;
    /// The dimension along which the block may exceed the tensor. Each of its elements has
    /// `elementRows` logical rows here, each run `runRows`.
    int64_t clippedDim = -1, elementRows = 1, runRows = 1;
  };
  struct Dim {
    int64_t extent, block;         // elements, or groups of lanes
    int64_t step, offset;          // of blocks' starts, in the same unit
    int64_t hbmStride, vmemStride; // in logical rows
    int64_t rows;  // a block's elements, or groups, and the padding copied with them
    bool isWindow; // may start at any element
    bool isClipped() const { return block != 0 && (isWindow || extent % block != 0); }
  };
  /// The runs of a level that are inside of the tensor: [first, end).
  struct Valid {
    mlir::Value first; // null for 0
    mlir::Value end;   // null for all; may be less than `first`
  };
  void addLevel(size_t dim);
  void packRuns();
  Valid validRuns(Emitter &e, const Level &level, llvm::ArrayRef<mlir::Value> block) const;

  llvm::SmallVector<Dim> dims; // outermost first, groups of lanes last
  int64_t packing;             // logical rows in a row of 512 bytes
  int64_t run = 1;             // logical rows of the chunk
  llvm::SmallVector<Level> levels;
  std::optional<Level> counted; // the level that is the DMA's count
  int64_t dmas = 1;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_BLOCKCOPY_H
