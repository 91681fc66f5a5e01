// Where a cut of one tensor cuts all others of a kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_CUTPROPAGATION_H
#define SYSTOLE_COMPILER_PLANNING_CUTPROPAGATION_H

#include "compiler/Planning/Blocking.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/SetVector.h"

namespace systole {

/// No dimension: the tensor is whole in every step.
inline constexpr int64_t kWhole = -1;

/// Cuts one tensor along a dimension and finds how that cuts the others.
class CutPropagation {
public:
  /// `ops` share the kernel.
  explicit CutPropagation(llvm::ArrayRef<mlir::Operation *> ops) : ops(ops.begin(), ops.end()) {}

  /// Cuts `seed` along `dim` and every other tensor as the operations then
  /// demand. Fails when they contradict each other, or when something that leaves
  /// the kernel or is costly would be the same in every step; but operations whose
  /// chunks lie along the cut and whose results only leave the kernel add them up.
  bool run(mlir::Value seed, int64_t dim);

  /// The cut dimension of `value`, or kWhole.
  int64_t lookup(mlir::Value value) const;
  const llvm::DenseMap<mlir::Value, int64_t> &assigned() const { return dims; }
  /// The operations that add up chunks.
  llvm::ArrayRef<mlir::Operation *> accumulating() const { return sums.getArrayRef(); }
  /// Operands from outside that their operation reads at an offset.
  llvm::ArrayRef<OffsetBlock> offsetBlocks() const { return found; }

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Operation = mlir::Operation;

  bool assign(Value value, int64_t dim);
  bool assignAll(ValueRange values, int64_t dim);
  /// The dimension of the first assigned value, or nothing.
  std::optional<int64_t> known(ValueRange values) const;

  /// Each relates the operands and results of an operation of which one is
  /// assigned; false for a contradiction.
  bool visit(Operation *op);
  bool visitElementwise(Operation *op);
  bool visitBroadcast(stablehlo::BroadcastInDimOp op);
  bool visitReshape(stablehlo::ReshapeOp op);
  bool visitMovement(Operation *op);
  bool visitScatter(stablehlo::ScatterOp op);
  bool visitIndexed(Operation *op);
  bool visitGather(stablehlo::GatherOp op);
  /// The result of `op` is cut along `dim`, where it is not as its operands are: those
  /// are read at offsets.
  bool readAtOffsets(Operation *op, int64_t dim);
  bool addOffsetBlock(OffsetBlock block);
  bool visitReduce(stablehlo::ReduceOp op);
  bool visitDot(stablehlo::DotGeneralOp op);
  bool visitConvolution(stablehlo::ConvolutionOp op);
  bool visitPositions(stablehlo::ConvolutionOp op);
  bool visitFilter(stablehlo::ConvolutionOp op);
  /// `op` adds up chunks of its operands, if they are cut along its chunks' dimension.
  bool accumulate(Operation *op, int64_t dim);

  llvm::SmallSetVector<Operation *, 32> ops;
  llvm::SmallSetVector<Operation *, 2> sums;
  llvm::SmallVector<OffsetBlock, 2> found;
  llvm::DenseMap<Value, int64_t> dims;
  llvm::SmallVector<Operation *> worklist;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_CUTPROPAGATION_H
