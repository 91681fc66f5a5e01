// Elementwise expressions over tensors as the bodies of map and reduce stages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_STAGEEXPRESSION_H
#define SYSTOLE_COMPILER_TILING_STAGEEXPRESSION_H

#include "compiler/Planning/Blocking.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"
#include "llvm/ADT/SetVector.h"

namespace systole {

/// Collects the buffers that an expression reads and at which indices, then
/// writes the computation of one element.
class ExpressionBuilder {
public:
  /// `buffers`: the values that are in a buffer; `ownBlocks`: the buffers of what single
  /// operations read; `scalars`: the values that the sequencer passes. All others are computed.
  ExpressionBuilder(mlir::OpBuilder &builder, const Blocking &blocking, mlir::ValueRange steps,
                    const llvm::DenseMap<mlir::Value, mlir::Value> &buffers,
                    const llvm::DenseMap<mlir::OpOperand *, mlir::Value> &ownBlocks,
                    const llvm::DenseMap<mlir::Value, mlir::Value> &scalars)
      : b(builder), blocking(blocking), steps(steps), buffers(buffers), ownBlocks(ownBlocks),
        scalars(scalars) {}

  /// The elements of `values`, which may be buffers themselves, are computed at index `map` of the
  /// iteration space.
  void collect(llvm::ArrayRef<mlir::Value> values, mlir::AffineMap map);

  llvm::SmallVector<mlir::Value> inputs() const;
  mlir::ArrayAttr maps(mlir::OpBuilder &builder) const;

  /// Fills `body` with the computation of the collected values and a yield.
  void emitBody(mlir::Region &body, llvm::ArrayRef<mlir::Value> values, mlir::Location loc);

private:
  /// A value, or a buffer, at an index.
  using Access = std::pair<mlir::Value, mlir::AffineMap>;

  bool isLeaf(mlir::Value value) const {
    return llvm::isa<kernel::BufferType>(value.getType()) || buffers.contains(value);
  }
  /// The value that an operation reads as an operand, which may be a buffer of its own.
  mlir::Value read(mlir::OpOperand &operand) const {
    mlir::Value own = ownBlocks.lookup(&operand);
    return own ? own : operand.get();
  }
  /// The accesses that `access`, which is no leaf, is computed from.
  llvm::SmallVector<Access> operandsOf(Access access) const;
  /// The axis of the grid that cuts the dimension along which the iota counts.
  std::optional<size_t> axisOf(stablehlo::IotaOp op) const;
  mlir::Value emit(Access access);
  mlir::Value emitScalarElement(mlir::Value value);
  mlir::Value emitIota(stablehlo::IotaOp op, mlir::AffineMap map);

  mlir::OpBuilder &b;
  const Blocking &blocking;
  llvm::SmallVector<mlir::Value, 2> steps;
  const llvm::DenseMap<mlir::Value, mlir::Value> &buffers;
  const llvm::DenseMap<mlir::OpOperand *, mlir::Value> &ownBlocks;
  const llvm::DenseMap<mlir::Value, mlir::Value> &scalars;
  mlir::AffineMap root;
  /// By axis, the first index of the current block, where something asks for it.
  llvm::SmallDenseMap<size_t, mlir::Value, 2> first;
  llvm::SetVector<Access> leaves;
  llvm::DenseSet<Access> visited;
  llvm::DenseMap<Access, mlir::Value> emitted;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_STAGEEXPRESSION_H
