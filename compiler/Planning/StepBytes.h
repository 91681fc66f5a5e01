// The VMEM that the steps of a kernel's grid take.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_STEPBYTES_H
#define SYSTOLE_COMPILER_PLANNING_STEPBYTES_H

#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/GroupTensors.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace systole {

/// Logical rows of 128 cells that each step of a kernel which only copies an array takes, and the
/// rows of VMEM of such a kernel at most: two blocks of either array.
inline constexpr int64_t kCopyStepRows = 512, kMostCopyRows = 2 * 2 * kCopyStepRows;

/// Bytes of the operations of one kernel, for any way to cut them.
class StepBytes {
public:
  /// `tensors` are those of `ops`; both have to outlive this.
  /// `passes`: those of products of f32 that ask for the default.
  StepBytes(llvm::ArrayRef<mlir::Operation *> ops, const GroupTensors &tensors, int passes)
      : ops(ops), inside(ops.begin(), ops.end()), tensors(tensors), passes(passes) {}

  /// Of VMEM that the blocks take, of which those that change are double buffered, and the buffers
  /// of the stages. Not included are those that a product takes only where memory is left: the
  /// parts of its operands.
  int64_t footprint(const Blocking &blocking) const;
  /// The same with each element of replicated buffers in a row of its own; kernels with less have
  /// some of them replicated.
  int64_t replicatedFootprint(const Blocking &blocking) const;
  bool hasReplicated() const {
    return llvm::any_of(tensors.inner, [&](mlir::Value v) { return tensors.isReplicated(v); });
  }

private:
  /// Of the places that windows need.
  int64_t windowBytes(const Blocking &blocking) const;
  /// Of the buffers that the stages of `op` allocate beside its operands and results.
  int64_t stageBytes(mlir::Operation *op, const Blocking &blocking) const;
  int64_t productBytes(stablehlo::DotGeneralOp op, const Blocking &blocking) const;
  int64_t convolutionBytes(stablehlo::ConvolutionOp op, const Blocking &blocking) const;
  template <typename F> void forEachBlock(const Blocking &blocking, F f) const;

  llvm::ArrayRef<mlir::Operation *> ops;
  llvm::SmallPtrSet<mlir::Operation *, 32> inside;
  const GroupTensors &tensors;
  int passes;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_STEPBYTES_H
