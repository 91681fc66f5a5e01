// The blocks of a window that a loop over the steps of the grid copies.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MOSAIC_WINDOWBUFFERS_H
#define SYSTOLE_COMPILER_MOSAIC_WINDOWBUFFERS_H

#include "compiler/Mosaic/Windows.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/Builders.h"

namespace systole::mosaic {

/// Two buffers of a window in VMEM, a semaphore, and the window's values in the present step.
/// Blocks are copied beside steps, or, if they do not overlap, between them.
class WindowBuffers {
public:
  /// `array` is in HBM; `block` is the shape of its blocks, as it lies.
  WindowBuffers(mlir::OpBuilder &b, const Window &window, mlir::Value array,
                llvm::ArrayRef<int64_t> block, bool overlaps);

  const Window &window() const { return *source; }
  /// The index of the present step's block.
  llvm::ArrayRef<mlir::Value> index() const { return blockIndex; }
  /// The buffer that has it.
  mlir::Value buffer(mlir::OpBuilder &b) const { return bufferAt(b, slot); }

  /// Begins with block `index`, in front of the first step: of an operand it is copied.
  void begin(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> index);
  /// Waits for the present step's block of an operand, and starts to copy block `next` if that is
  /// another one: if `changes`, an i1.
  void enter(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> next, mlir::Value changes);
  /// Starts to copy out the block of a result if the next step has another one, or there is none.
  void leave(mlir::OpBuilder &b, mlir::Value changes);
  /// Goes on to the next step, whose block is `next`.
  void advance(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> next, mlir::Value changes);
  /// Waits behind the last step for what is in flight.
  void finish(mlir::OpBuilder &b);

  /// The window's loop-carried values, i32; and the reverse, which takes them from the front of
  /// `values`.
  void appendCarried(llvm::SmallVectorImpl<mlir::Value> &values) const;
  void resume(mlir::ValueRange &values);

private:
  mlir::Value bufferAt(mlir::OpBuilder &b, mlir::Value slot) const;
  mlir::Value isInFlight(mlir::OpBuilder &b) const;
  void waitIfInFlight(mlir::OpBuilder &b);
  /// A copy between block `index` of the array and a buffer.
  template <typename Copy>
  void copy(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> index, mlir::Value slot) const;

  const Window *source;
  bool overlaps;
  llvm::SmallVector<int64_t> shape; ///< of a block
  mlir::Value array, buffers, semaphore;
  llvm::SmallVector<mlir::Value> blockIndex;
  /// The number of the buffer that has the block, and whether a copy is in flight (0 or 1); of an
  /// operand whose copies do not overlap, whether the block is still to be copied.
  mlir::Value slot, inFlight;
};

/// Emits `body`, which runs if the i1 `condition` is 1.
void emitIf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value condition,
            llvm::function_ref<void()> body);

} // namespace systole::mosaic

#endif // SYSTOLE_COMPILER_MOSAIC_WINDOWBUFFERS_H
