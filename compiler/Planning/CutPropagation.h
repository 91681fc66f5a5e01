// Where a cut of one tensor cuts all others of a kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_CUTPROPAGATION_H
#define SYSTOLE_COMPILER_PLANNING_CUTPROPAGATION_H

#include "compiler/Planning/Blocking.h"
#include "compiler/Relations/OperandRelation.h"
#include "compiler/Tensor/OpKinds.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace systole {

/// Cuts one tensor along a dimension and finds how that cuts the others.
class CutPropagation {
public:
  /// `ops` share the kernel; they have to outlive this.
  explicit CutPropagation(llvm::ArrayRef<mlir::Operation *> ops);

  /// Cuts `seed` along `dim`, in one block, and every other tensor as the operations then demand.
  /// Nothing when they contradict each other, or when something that leaves the kernel or is
  /// costly would be the same in every step; but operations whose chunks lie along the cut and
  /// whose results only leave the kernel add them up.
  std::optional<Cut> cut(mlir::Value seed, int64_t dim);

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Operation = mlir::Operation;
  using OpOperand = mlir::OpOperand;

  /// Finds how all tensors are cut; false for a contradiction.
  bool run(Value seed, int64_t dim);
  CutDim lookup(Value value) const { return dims.lookup(value); }
  bool assign(Value value, CutDim at);
  bool assignAll(ValueRange values, CutDim at);
  /// The same for what an operation reads, which from outside may be a block of its own.
  bool assign(OpOperand &operand, CutDim at);
  bool assignWhole(OpOperand &operand);
  std::optional<CutDim> known(Value value) const;

  /// Extends what is known of the operands and results of `op` to all of them; false for a
  /// contradiction.
  bool visit(Operation *op);
  const OperandRelation &relationOf(Operation *op);
  /// The iterator of `op` along which it is cut as far as is known, or kWhole. Nothing if nothing
  /// follows from what is known; `contradicts` if that fits no cut.
  std::optional<CutDim> cutOf(Operation *op, bool &contradicts);
  /// The iterator of a reshape that is a part of a dimension of its operand, or of which that is a
  /// part.
  std::optional<CutDim> mergedIteratorOf(Operation *reshape, CutDim operand);
  /// Cuts an operation that reads windows of what is cut, if nothing that is known to need it says
  /// how: one of them, after which more may be known.
  bool cutUnreached();
  /// Cuts `op` along an iterator: its results and all operands.
  bool cutAlong(Operation *op, CutDim iterator);
  bool cutOperand(OpOperand &operand, CutDim iterator);
  /// What an operation reads along dimension `dim` of an operand if its result has `span`; nothing
  /// if no blocks follow from that.
  std::optional<Span> spanOf(mlir::OpOperand &operand, int64_t dim, const Span &result);
  /// Adds what `operand` reads at an offset.
  bool addOffsetBlock(OpOperand &operand, Span span);
  /// From the last operation to the first: what those that make operands read at an offset need
  /// of their own operands. Stops where a value turns out to be cut as well.
  bool extendHalos();
  bool extendHalo(Operation *op, const Span &result);
  void roundToRuns(Operation *op, Span &result);
  /// Joins the blocks of arrays from outside that several operations read at offsets, where they
  /// have no more elements together.
  void shareInputs();
  bool readsAlong(const Span &span, OpOperand &operand) const;
  /// Operands that are not there as blocks: the scalar unit has them, or they are read in HBM
  /// wherever the result is cut.
  bool isElsewhere(OpOperand &operand) const;
  bool isInside(Operation *op) const { return members.contains(op); }
  /// Of a member; faster than `kindOf`.
  OpKind kindIn(Operation *op) const {
    assert(isInside(op) && "one of the operations");
    return members.find(op)->second.kind;
  }
  /// Marks the operations that read or make `value`.
  void markStale(Value value);
  /// Whether an element follows from the same one of `operand`: most operations of large kernels
  /// are such, so that their relations are not asked for.
  bool isSameElement(Operation *op, Value operand) const;
  bool isFromOutside(Value value) const { return !isInside(value.getDefiningOp()); }
  /// Shares the block of each tensor from outside between as many of its readers as want the same.
  void shareBlocks();
  /// `op` adds up chunks of its operands, if the iterator is that of its chunks.
  bool accumulate(Operation *op, CutDim iterator);

  llvm::ArrayRef<Operation *> ops;
  /// One of `ops`.
  struct Member {
    unsigned place = 0;
    OpKind kind = OpKind::Other;
    bool hasElsewhere = false; ///< some operand is not there as a block
    bool isStale = false; ///< more is known of what it reads and makes than when it was visited
  };
  llvm::SmallDenseMap<Operation *, Member, 32> members;
  llvm::SmallSetVector<Operation *, 2> sums; ///< that add up chunks
  llvm::SmallVector<OffsetBlock, 2> found;   ///< of operands from outside, and of halos
  llvm::DenseMap<Value, CutDim> dims;
  /// Operands from outside that are cut in another way than the tensor is for its other readers.
  llvm::DenseMap<OpOperand *, CutDim> own;
  /// Halos of values of the kernel, and of arrays that readers share.
  llvm::DenseMap<Value, Span> inner, shared;
  /// Operations that read an operand that is cut in windows, and along which iterator they would
  /// be cut for it.
  llvm::SmallMapVector<Operation *, int64_t, 4> windows;
  llvm::DenseMap<Operation *, OperandRelation> relations;
  llvm::SmallVector<Operation *> worklist;
  int64_t size = 0; ///< of the dimension that is cut
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_CUTPROPAGATION_H
