// Reads of buffers with an element for each row by the stages of a kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_ROWREADS_H
#define SYSTOLE_COMPILER_TILING_ROWREADS_H

#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/Builders.h"

namespace systole {

/// A stage's read of a buffer: number `input` of its inputs, or a copy of a part of it.
struct Read {
  mlir::Operation *stage;
  unsigned input;
  kernel::CopyOp part = nullptr;
};

/// An operand's block or an allocation with its views, its writer and its reads.
struct Rows {
  llvm::SmallVector<mlir::Value, 2> buffers;
  mlir::Operation *writer = nullptr;
  llvm::SmallVector<Read> reads;
  /// Whether only one stage writes it, and only stages and views use it.
  bool isPlain = true;

  kernel::BufferType type() const {
    return llvm::cast<kernel::BufferType>(buffers.front().getType());
  }
};

/// The map of a read of a kernel.map or kernel.reduce.
mlir::AffineMap mapOf(const Read &read);
/// Whether a stage reads other elements along the lanes.
bool readsAlongLanes(const Read &read);
/// Whether an operation is a reduction over the lanes.
bool reducesLanes(mlir::Operation *op);
/// Whether a stage needs the cross-lane unit for each eight elements that it broadcasts to its
/// lanes.
bool needsBroadcasts(mlir::Operation *stage);

/// Whether a use of a buffer is a read of a kernel.map or kernel.reduce.
bool isInput(mlir::OpOperand &use);
/// Where along the lanes the part of its source begins that a copy takes, if only stages read the
/// copy. Chunks of a reduction are such parts, since stages read no parts of lanes (StageReduce).
std::optional<int64_t> offsetOfPart(kernel::CopyOp copy);
/// Replaces the operand of a read, or the source of its part, by `buffer`, which has the same
/// elements in all lanes.
void redirect(mlir::OpBuilder &b, Read read, mlir::Value buffer);

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_ROWREADS_H
