// Lowering of a kernel's stages to `core`, one function per stage.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_CODEGEN_H
#define SYSTOLE_COMPILER_CODEGEN_CODEGEN_H

#include "compiler/Codegen/DotLoops.h"
#include "compiler/Codegen/Emitter.h"

namespace systole::codegen {

/// Allocates VMEM for a stage. Addresses are assigned after the kernel is lowered, so
/// that buffers that are not live at the same time share rows; an overflow is reported
/// then.
class ScratchAllocator {
public:
  virtual ~ScratchAllocator() = default;
  /// A VMEM buffer of `type` that is live until the end of the current stage.
  virtual BufferRef allocate(kernel::BufferType type) = 0;
};

/// The low bits of an SMEM word as an element of integer type `element`, extended
/// to 32 bits by its signedness; i1 as 0 or 1.
mlir::Value narrow(Emitter &emitter, mlir::Value word, mlir::Type element);

struct StageOptions {
  /// Keep bf16 and f16 results of a body's operations in f32.
  bool excessPrecision = false;
  /// The lowered value of a captured i32.
  llvm::function_ref<mlir::Value(mlir::Value)> scalar;
};

/// Each function emits a stage at the emitter's insertion point, after Emitter::beginStage with
/// the stage's location. Buffers have the types of the stage's operands. Failures have been
/// reported.
///
/// Offsets are one scalar per dimension, or none.
mlir::LogicalResult lowerCopy(kernel::CopyOp op, const BufferRef &src, const BufferRef &dst,
                              mlir::ValueRange srcOffsets, mlir::ValueRange dstOffsets,
                              Emitter &emitter);
struct DotBuffers {
  BufferRef lhs, rhs, out;
  /// The buffer for the sums, rounded once they are complete, if any.
  std::optional<BufferRef> rounded;
};
/// In `precision` passes. With `splitOnce`, operands that are read in several passes may be split
/// into scratch memory: bf16 for each part, of which those of f32 have up to four, integers one a
/// byte.
void lowerDot(const DotShape &shape, unsigned precision, bool accumulate, bool exchanged,
              const DotBuffers &buffers, bool splitOnce, Emitter &emitter,
              ScratchAllocator &scratch);

mlir::LogicalResult lowerMap(kernel::MapOp op, llvm::ArrayRef<BufferRef> inputs,
                             llvm::ArrayRef<BufferRef> outputs, Emitter &emitter,
                             const StageOptions &options);
mlir::LogicalResult lowerReduce(kernel::ReduceOp op, llvm::ArrayRef<BufferRef> inputs,
                                llvm::ArrayRef<BufferRef> inits, llvm::ArrayRef<BufferRef> outputs,
                                Emitter &emitter, const StageOptions &options);
void lowerTake(kernel::TakeOp op, const BufferRef &table, const BufferRef &indices,
               const BufferRef &out, Emitter &emitter);
mlir::LogicalResult lowerSort(kernel::SortOp op, llvm::ArrayRef<BufferRef> inputs,
                              llvm::ArrayRef<BufferRef> outputs, Emitter &emitter,
                              const StageOptions &options);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_CODEGEN_H
