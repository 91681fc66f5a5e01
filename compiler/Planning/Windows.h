// Windows of arrays that stay in HBM: what an operation at computed positions must copy.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_WINDOWS_H
#define SYSTOLE_COMPILER_PLANNING_WINDOWS_H

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// The box of whole rows of 512 bytes around a slice at a position that is known only when the
/// program runs. Where rows hold more than the slice, it is larger than that.
struct CopyWindow {
  llvm::SmallVector<int64_t> slice; ///< sizes of what the operation names
  llvm::SmallVector<int64_t> sizes; ///< of the box
  /// By dimension, powers of two of which the box's start is a multiple, and its last start.
  llvm::SmallVector<int64_t> alignment, lastStart;
  int64_t count = 1; ///< boxes, one for each position
  int64_t bytes = 0; ///< of one box
  /// By dimension, elements that the last of several blocks has less than the others: as many
  /// the place of a box must have behind it, for what then starts further inside of it.
  llvm::SmallVector<int64_t> missing;
  /// The box is the slice itself and is copied to where the result has it; else it needs a
  /// place of its own.
  bool isDirect = false;

  /// The shape of the place, if it needs one.
  llvm::SmallVector<int64_t> place() const;
};

/// Sets or removes `kernel.access` on a dynamic_slice, dynamic_update_slice or gather, by what
/// moves in either case.
void assignAccess(mlir::Operation *op);

/// The window through which a dynamic_slice, dynamic_update_slice or gather reaches its
/// operand in HBM; nothing if its access is another, or it is no such operation. The operand must
/// then come from outside the operation's kernel, and the result of an update go to no operation in
/// it.
std::optional<CopyWindow> windowOf(mlir::Operation *op);

/// What a dynamic_slice gives or a dynamic_update_slice takes: it has the shape of the window's
/// slice. Null for other operations.
mlir::Value slicedValue(mlir::Operation *op);

/// The window of `op` through which it reaches one block of `shape`, of its sliced value or of a
/// gather's result; nothing if such blocks do not start where DMA can.
std::optional<CopyWindow> windowOfBlock(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);

/// The dimension of the operand that a gather has as dimension `dim` of the result; nothing if that
/// enumerates positions.
std::optional<int64_t> operandDimOf(stablehlo::GatherOp op, int64_t dim);

/// The dimension of the operand that a gather takes whole, with all that is in it, as dimension
/// `dim` of the result; nothing if it does not.
std::optional<int64_t> wholeDimOf(stablehlo::GatherOp op, int64_t dim);

/// The dimension of a gather's result that enumerates what dimension 0 of its indices does; nothing
/// if that is not positions.
std::optional<int64_t> positionDimOf(stablehlo::GatherOp op);

/// Whether `operand` stays in HBM: windows of it come to VMEM, or chunks of updates.
bool isWindowed(mlir::OpOperand &operand);

/// Whether `value` is an array in HBM that a window of is replaced.
bool isUpdatedInHbm(mlir::Value value);

/// The input of a fusion of which its result `number` is an update in HBM.
std::optional<unsigned> updatedInput(kernel::FusionOp fusion, unsigned number);

/// Windowed operands come from outside of the kernel, and updates in HBM go out of it, once; else
/// an error at the operation.
mlir::LogicalResult verifyWindows(kernel::FusionOp fusion);

/// Whether the reader of `use` copies windows of it, or chunks, from HBM when their turn comes.
bool isReadInHbm(mlir::OpOperand &use);
/// Whether `fusion` reads windows of its input `number`, or chunks of it.
bool readsInHbm(kernel::FusionOp fusion, unsigned number);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_WINDOWS_H
