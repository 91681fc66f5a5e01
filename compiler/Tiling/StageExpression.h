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

/// `map` with an offset for each of its results.
mlir::AffineMap shiftedBy(mlir::AffineMap map, llvm::ArrayRef<int64_t> offsets);

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

  /// A value, or a buffer, at an index, which counts from the first element of the value's buffer,
  /// or of the one that it would have.
  using Access = std::pair<mlir::Value, mlir::AffineMap>;

  /// The elements of `values`, which may be buffers themselves, are computed at their indices of
  /// the iteration space.
  void collect(llvm::ArrayRef<Access> values);

  llvm::SmallVector<mlir::Value> inputs() const;
  mlir::ArrayAttr maps(mlir::OpBuilder &builder) const;

  /// Fills `body` with the computation of the collected values and a yield.
  void emitBody(mlir::Region &body, mlir::Location loc);

private:
  bool isLeaf(mlir::Value value) const {
    return llvm::isa<kernel::BufferType>(value.getType()) || buffers.contains(value);
  }
  /// The value that an operation reads as an operand, which may be a buffer of its own.
  mlir::Value read(mlir::OpOperand &operand) const {
    mlir::Value own = ownBlocks.lookup(&operand);
    return own ? own : operand.get();
  }
  /// The element of an operand that its operation reads for the result at `map`.
  Access accessOf(mlir::OpOperand &operand, mlir::AffineMap map) const;
  /// The same for `element` in the body of a `kernel.elementwise`.
  Access accessOfElement(mlir::Value element, mlir::AffineMap map) const;
  /// The accesses that `access`, which is no leaf, is computed from.
  llvm::SmallVector<Access> operandsOf(Access access) const;
  /// The index of the first element of an iota's block along the dimension in which it counts, if
  /// the grid cuts that.
  mlir::Value firstOf(stablehlo::IotaOp op);
  mlir::Value emit(Access access);
  mlir::Value emitScalarElement(mlir::Value value);
  mlir::Value emitIota(stablehlo::IotaOp op, mlir::AffineMap map);

  mlir::OpBuilder &b;
  const Blocking &blocking;
  llvm::SmallVector<mlir::Value, 2> steps;
  const llvm::DenseMap<mlir::Value, mlir::Value> &buffers;
  const llvm::DenseMap<mlir::OpOperand *, mlir::Value> &ownBlocks;
  const llvm::DenseMap<mlir::Value, mlir::Value> &scalars;
  llvm::SmallVector<Access, 2> roots;
  /// The first indices of iotas' blocks.
  llvm::SmallDenseMap<mlir::Value, mlir::Value, 2> first;
  llvm::SetVector<Access> leaves;
  llvm::DenseSet<Access> visited;
  llvm::DenseMap<Access, mlir::Value> emitted;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_STAGEEXPRESSION_H
