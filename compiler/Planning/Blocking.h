// How the operations of a kernel are cut into grid steps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_BLOCKING_H
#define SYSTOLE_COMPILER_PLANNING_BLOCKING_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"

#include <memory>
#include <optional>

namespace systole {

/// No dimension: the tensor is whole in every step.
inline constexpr int64_t kWhole = -1;

/// The elements along one dimension of a tensor that the steps of a cut have: where the cut's
/// dimension has element i, the tensor's has element i * num / den + offset, beyond its ends too.
/// With `den` above 1 this holds at multiples of it; `num` is negative where elements stand the
/// other way round. A block has `extra` elements more behind its own.
struct Span {
  int64_t dim = 0;
  int64_t num = 1, den = 1;
  int64_t offset = 0;
  int64_t extra = 0;
  /// Blocks start at multiples of this; 0 if no start but 0 is at a whole row of 512 bytes of HBM.
  int64_t unit = 1;

  /// For blocks of `blockSize`: how many elements are wanted, the distance of blocks, where the
  /// first one starts, how many elements it then has before the first one that is wanted, and how
  /// many in all.
  int64_t elements(int64_t blockSize) const { return blockSize * std::abs(num) / den + extra; }
  int64_t stride(int64_t blockSize) const { return blockSize * num / den; }
  int64_t start(int64_t blockSize) const;
  int64_t slack(int64_t blockSize) const { return lowest(blockSize) - start(blockSize); }
  int64_t size(int64_t blockSize) const;
  /// The lowest element that the first block wants.
  int64_t lowest(int64_t blockSize) const {
    return num < 0 ? offset + num * (blockSize - 1) : offset;
  }
  /// Whether the blocks of both advance alike, so that some have the elements of both.
  bool movesWith(const Span &other) const {
    return dim == other.dim && num == other.num && den == other.den && num > 0;
  }
  /// The least that has the elements of both, which move alike.
  Span unionWith(const Span &other) const;
};

/// The dimension of a tensor that a cut divides, or kWhole, and how many of its elements there are
/// for each one of the cut: several where a reshape merged the cut dimension with those inside of
/// it.
struct CutDim {
  int64_t dim = kWhole;
  int64_t factor = 1;

  bool isWhole() const { return dim == kWhole; }
  Span span() const { return {dim, factor}; }
  bool operator==(const CutDim &other) const = default;
};

/// How an operation sees an operand along a cut that does not divide it in equal blocks.
struct OffsetBlock : Span {
  OffsetBlock(mlir::OpOperand &operand, const Span &span) : Span(span), operand(&operand) {}

  mlir::OpOperand *operand;
  mlir::Value value() const { return operand->get(); }
};

/// Elements along `dim` of an array of which blocks in HBM start at multiples; 0 if no start but 0
/// is at a whole row of 512 bytes.
int64_t rowUnit(mlir::RankedTensorType type, int64_t dim);

/// How an axis cuts the tensors of a kernel, in blocks of any size.
struct CutMap {
  /// The cut dimension of each tensor; absent when the tensor is not cut.
  llvm::DenseMap<mlir::Value, CutDim> dims;
  /// The cut dimension, or kWhole, of operands from outside of the kernel that need another one
  /// than the other readers of the same tensor.
  llvm::DenseMap<mlir::OpOperand *, CutDim> ownDims;
  /// Operations whose results are the same in every step, which adds a chunk to them.
  llvm::SmallVector<mlir::Operation *, 1> accumulating;
  llvm::SmallVector<OffsetBlock, 0> offsetBlocks;
  /// What the buffers of values have that operations in the kernel read at an offset: the elements
  /// that all of these want, and those that leave the kernel. Of values that the kernel computes,
  /// and of arrays that it reads, whose readers then share a block.
  llvm::DenseMap<mlir::Value, Span> halos, inputHalos;
};

/// One dimension of a kernel's grid.
///
/// Every tensor of the kernel either has one dimension that is cut into blocks
/// of `blockSize` along this axis, or of a multiple of that, or is the same in every step of it.
struct Cut {
  /// The tensor and its dimension from which the others follow.
  mlir::Value seed;
  int64_t seedDim = 0;
  int64_t size = 1;      ///< elements of the cut dimension
  int64_t blockSize = 1; ///< elements of one step
  /// Never null; shared by all cuts along the axis, of which a search has thousands.
  std::shared_ptr<const CutMap> map = std::make_shared<const CutMap>();

  int64_t steps() const { return (size + blockSize - 1) / blockSize; }
  std::optional<int64_t> dimOf(mlir::Value value) const;
  /// The cut dimension of what an operation reads; nothing if it reads it at an offset.
  std::optional<int64_t> dimOf(mlir::OpOperand &operand) const;
  /// The same with their multiples; whole where there is none.
  CutDim cutDimOf(mlir::Value value) const { return map->dims.lookup(value); }
  CutDim cutDimOf(mlir::OpOperand &operand) const;
  /// Elements of one step along the cut dimension of `value`.
  int64_t blockOf(mlir::Value value) const { return blockSize * cutDimOf(value).factor; }
  const OffsetBlock *offsetBlockOf(mlir::OpOperand &operand) const;
  /// What the buffer of `value` has instead of its block, or null.
  const Span *haloOf(mlir::Value value) const;
  /// Whether the operand is another block than other readers of the same tensor have.
  bool hasOwnBlock(mlir::OpOperand &operand) const {
    return map->ownDims.contains(&operand) || (offsetBlockOf(operand) && !haloOf(operand.get()));
  }
  /// The finest `blockSize`: of every tensor in HBM blocks begin at whole rows of 512 bytes, of
  /// which narrow elements pack several logical rows into one. `vectors`: and hold whole
  /// vector registers of eight rows or groups of lanes, as far as that is a matter of this
  /// dimension. Nothing if a copy of the last block would end beyond the tensor.
  std::optional<int64_t> quantum(bool vectors, llvm::function_ref<bool(mlir::Value)> isInHbm) const;
};

/// An operand of a kernel that is copied in blocks: a tensor, or what one operation reads of it in
/// blocks of its own.
struct OperandBlocks {
  mlir::Value value;
  mlir::OpOperand *ownUse = nullptr;

  bool operator==(const OperandBlocks &other) const = default;
};

/// An operand that is in VMEM before the kernel runs, in blocks of shape `block`; of any one, which
/// is then chosen with the grid, if that is empty.
struct ResidentBlocks {
  mlir::Value value;
  llvm::SmallVector<int64_t, 4> block = {};
};

/// An operand that is the same in every step and arrives in `pieces` parts of equally many rows,
/// each of which the first step works on when it is there.
struct DividedOperand {
  OperandBlocks operand;
  int64_t pieces = 1;
};

/// How a kernel is cut into grid steps; the last cut varies fastest.
struct Blocking {
  llvm::SmallVector<Cut, 2> cuts;
  /// The operands that are not copied.
  llvm::SmallVector<ResidentBlocks, 0> residents;
  /// The operands of which VMEM has one buffer although their blocks change; others have two.
  llvm::SmallVector<OperandBlocks, 0> singleBuffered;
  /// Operands that arrive in several pieces.
  llvm::SmallVector<DividedOperand, 1> divided;

  bool isWhole() const { return cuts.empty(); }
  int64_t steps() const {
    int64_t steps = 1;
    for (const Cut &cut : cuts)
      steps *= cut.steps();
    return steps;
  }
  /// Whether the operand is a block of its own, which no other operation reads.
  bool hasOwnBlock(mlir::OpOperand &operand) const;
  /// Whether any axis cuts `value`.
  bool isCut(mlir::Value value) const;
  bool isCut(mlir::OpOperand &operand) const;
  bool isCut(const OperandBlocks &operand) const {
    return operand.ownUse ? isCut(*operand.ownUse) : isCut(operand.value);
  }
  /// How many blocks of an operand VMEM has room for.
  int64_t buffersOf(const OperandBlocks &operand) const {
    bool isSingle = isResident(operand.value) || llvm::is_contained(singleBuffered, operand);
    return isCut(operand) && !isSingle ? 2 : 1;
  }
  bool isResident(mlir::Value value) const {
    return llvm::any_of(residents,
                        [&](const ResidentBlocks &operand) { return operand.value == value; });
  }
  int64_t piecesOf(const OperandBlocks &operand) const;
  /// The cut whose steps add up the result of `op`, or null.
  const Cut *chunksOf(mlir::Operation *op) const;
  size_t axisOf(const Cut &cut) const { return &cut - cuts.begin(); }
  /// Whether the buffer of `value` has other elements than its block.
  bool hasHalo(mlir::Value value) const {
    return llvm::any_of(cuts, [&](const Cut &cut) { return cut.haloOf(value); });
  }
  /// The shape of the buffer of `value`, halos included.
  llvm::SmallVector<int64_t> blockShape(mlir::Value value) const;
  /// The shape of what an operation reads of an operand, or of its own block of it.
  llvm::SmallVector<int64_t> blockShape(mlir::OpOperand &operand) const;
  /// The shape of a block of a result of the kernel.
  llvm::SmallVector<int64_t> resultShape(mlir::Value value) const;
  /// The shape of what a step copies of an operand.
  llvm::SmallVector<int64_t> copiedShape(const OperandBlocks &operand) const;
  /// How many elements the buffer with an operand has along a cut before the first one that its
  /// operation reads, by dimension of the operand.
  llvm::SmallVector<int64_t> slackOf(mlir::OpOperand &operand) const;
  /// The same of a result of the kernel in the buffer of `value`.
  llvm::SmallVector<int64_t> slackOf(mlir::Value value) const;
};

/// Bytes that a block takes in VMEM or HBM, padding included.
int64_t blockBytes(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
/// Bytes that a tensor takes.
int64_t paddedBytes(mlir::RankedTensorType type);

/// Whether blocks of an array of `type` may start anywhere along any dimension but for a
/// multiple of whole rows of 512 bytes: these begin anew with each index of the dimensions around
/// it.
bool isCutAnywhere(mlir::RankedTensorType type);

/// Bytes of a tensor's elements alone.
int64_t payloadBytes(mlir::RankedTensorType type);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_BLOCKING_H
