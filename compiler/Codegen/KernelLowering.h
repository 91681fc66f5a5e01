// Lowers one kernel to a routine.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_KERNELLOWERING_H
#define SYSTOLE_COMPILER_CODEGEN_KERNELLOWERING_H

#include "compiler/Codegen/BlockCopy.h"
#include "compiler/Codegen/Control.h"
#include "compiler/Codegen/Liveness.h"
#include "compiler/Codegen/Memory.h"
#include "compiler/Codegen/OperandPieces.h"
#include "compiler/Codegen/Semaphores.h"
#include "compiler/Codegen/StageStreams.h"

#include <array>
#include <deque>

namespace systole::codegen {

struct KernelOptions {
  bool excessPrecision = false;
  /// Allocate two halves for blocks that change between steps, so that copies overlap with
  /// computation; otherwise each step waits for its copies.
  bool doubleBuffer = true;
  /// Keep the parts of operands that products read in several passes, instead of splitting them at
  /// each read.
  bool splitOnce = true;
  /// Run stages a step ahead of those that need them, beside products.
  bool runAhead = true;
};

/// An operand that is tiled into blocks in VMEM.
struct BlockedOperand {
  kernel::OperandAttr attr;
  mlir::Value hbmRegion;
  mlir::Value firstRow;             // of the region, null for 0
  mlir::BlockArgument buffer;       // of the kernel's body
  llvm::SmallVector<int64_t> shape; // of the array
  BlockCopy copy;
  BufferRef ref{};
  std::optional<LiveRange> uses{};
  /// Sync flags by half; a block that does not change uses the first one.
  std::array<int, 2> inFlags{}, outFlags{};
  /// Copies of one block in flight at once; 0: the copies are issued one by one, waiting for each.
  int64_t maxInFlight = 0;
  /// Whether the block changes in some later step, or in every step.
  bool changes = false, changesAlways = false;
  /// Whether VMEM holds two blocks.
  bool hasHalves = false;
  /// Copies in of some block, without a condition, start in each step, of both halves on one flag:
  /// they end in the order in which they start, and where there is no new block they copy nothing.
  bool isPrefetched = false;
  /// Whether stages that run a step ahead use it, and those behind at most what they hand on.
  bool isAhead = false;
  /// In which the first block arrives, if not at once.
  std::optional<OperandPieces> pieces = std::nullopt;

  /// Whether the kernel before has loaded the first block.
  bool isLoaded() const { return attr.isPrefetched(); }

  /// DMAs of a block.
  int64_t dmaCount() const { return pieces ? pieces->count : copy.dmaCount(); }

  bool reads() const { return attr.getRole() != kernel::Role::out; }
  bool writes() const { return attr.getRole() != kernel::Role::in; }

  /// No copy of a block waits for another one, and all end in the order in which they start.
  bool isStraight() const { return hasHalves && maxInFlight == dmaCount() && copy.isNeverEmpty(); }
  bool leavesInOrder() const { return writes() && !reads() && changesAlways && isStraight(); }
};

/// An operand whose blocks the body sees where VMEM keeps them.
struct ResidentOperand {
  kernel::OperandAttr attr;
  llvm::SmallVector<int64_t> shape; // of the array
  mlir::BlockArgument buffer;       // of the kernel's body
  BufferRef ref{};
};

/// A blocked operand in one step of the grid. Scalars are 0 or 1.
struct StepState {
  BlockedOperand *operand;
  mlir::Value step;
  llvm::SmallVector<mlir::Value> block, nextBlock;
  /// The half with the step's block, the other one, and the next step's.
  mlir::Value half{}, notHalf{}, nextHalf{};
  /// Whether the copy in of the step's block is in flight.
  mlir::Value arriving{};
  /// Whether the next step has another block.
  mlir::Value nextChanges{};
  /// By half: whether the copy out of its previous block is in flight.
  std::array<mlir::Value, 2> leaving{};
};

class KernelLowering : public ControlLowering {
public:
  /// `emitter` is positioned in the routine's body; `arguments` are the operands' regions and the
  /// scalars.
  KernelLowering(kernel::FuncOp kernel, mlir::ValueRange arguments, Emitter &emitter,
                 KernelMemory &memory, const KernelOptions &options);
  mlir::LogicalResult lower();

private:
  /// The block index in each dimension of an operand.
  using BlockIndex = llvm::SmallVector<mlir::Value>;

  // Setup (KernelOperands.cpp).
  mlir::LogicalResult bindOperands();
  mlir::LogicalResult loadStream(size_t number);
  void addLoad(size_t number);
  BufferRef residentBuffer(kernel::BufferType type, kernel::OperandAttr attr);
  void waitForStreams();
  /// Whether the first step, which has code of its own then, takes `operand` in pieces.
  void divide(BlockedOperand &operand, kernel::BufferType type) const;
  void assignFlags();
  void assignLoads(int64_t slots);
  void allocateBuffers();

  // Copies of blocks (KernelCopies.cpp). `half` is a scalar, or null if there is a single buffer.
  void startIn(const BlockedOperand &operand, const BlockIndex &block, mlir::Value half,
               mlir::Value condition = nullptr);
  void startOut(const BlockedOperand &operand, const BlockIndex &block, mlir::Value half);
  void start(const BlockedOperand &operand, BlockCopy::Direction direction, const BlockIndex &block,
             mlir::Value half, mlir::Value condition);
  /// Starts the copy of the block of the first step, or says that it is done.
  void startFirst(const BlockedOperand &operand, const BlockIndex &block, mlir::Value half);
  void wait(const BlockedOperand &operand, int flag, mlir::Value condition = nullptr);
  /// Starts what is loaded for the next kernel, and waits for it.
  void startLoads();
  void startLoadsAt(mlir::Value step);
  void finishLoads();
  void waitIn(const StepState &state);
  void waitOut(StepState &state);
  llvm::SmallVector<mlir::Value> gridIndices(mlir::Value step);
  BlockIndex blockOf(kernel::OperandAttr attr, mlir::ArrayRef<mlir::Value> grid);
  BlockIndex blockOf(const BlockedOperand &operand, mlir::ArrayRef<mlir::Value> grid) {
    return blockOf(operand.attr, grid);
  }
  mlir::Value differs(const BlockIndex &a, const BlockIndex &b);
  /// The first row of 512 bytes of a block within what VMEM keeps.
  mlir::Value residentRow(kernel::OperandAttr attr, llvm::ArrayRef<int64_t> shape,
                          kernel::BufferType blockType, const BlockIndex &block);
  void bindResident(mlir::ArrayRef<mlir::Value> grid);
  void prefetch(const BlockedOperand &operand, mlir::Value step, const BlockIndex &before,
                mlir::Value half);

  // The grid (KernelGrid.cpp).
  mlir::LogicalResult lowerOnce();
  mlir::LogicalResult lowerSteps();
  /// The step of the stages on each side, null for none. All are behind if they are not divided.
  struct Steps {
    mlir::Value behind, ahead;
    mlir::Value of(bool isAhead) const { return isAhead ? ahead : behind; }
  };
  mlir::LogicalResult lowerSteps(const Steps &steps, mlir::ValueRange carried,
                                 llvm::SmallVectorImpl<mlir::Value> &next);
  llvm::SmallVector<StepState> stepStates(const Steps &steps, mlir::ValueRange carried);
  void startCopiesIn(llvm::MutableArrayRef<StepState> states, mlir::Value step);
  void finishStep(llvm::MutableArrayRef<StepState> states, mlir::ValueRange carried,
                  llvm::SmallVectorImpl<mlir::Value> &next);
  mlir::LogicalResult lowerStages(const Steps &steps, llvm::MutableArrayRef<StepState> states);
  mlir::LogicalResult lowerSide(StageStreams::Side side, mlir::Value step,
                                llvm::MutableArrayRef<StepState> states);
  /// The live range of a buffer of the stages on one side, or of both.
  LiveRange withStream(mlir::Value buffer, LiveRange range) const;

  // Stages (KernelLowering.cpp).
  mlir::LogicalResult lowerOther(mlir::Operation &op) override;
  mlir::LogicalResult lowerLoadScalar(kernel::LoadScalarOp op);
  template <typename Op> mlir::LogicalResult lowerProduct(Op op);
  /// The product of the first step with an operand that arrives in pieces.
  void lowerPieces(const BlockedOperand &operand, const DotBuffers &buffers);
  mlir::LogicalResult lowerOverlap(kernel::OverlapOp op);
  BufferRef buffer(mlir::Value value) const { return buffers.lookup(value); }
  llvm::SmallVector<BufferRef> refs(mlir::ValueRange values) const;

  kernel::FuncOp kernel;
  mlir::ValueRange arguments;
  KernelMemory &memory;
  const KernelOptions &options;
  BodyLiveness liveness;
  StageStreams streams;
  Semaphores semaphores;
  std::optional<StageStreams::Side> side; // that is being lowered
  int64_t steps = 1;
  bool isFirstStep = false;    // is being lowered apart
  int64_t streamsInFlight = 0; // on kernel::kStageFlag
  int64_t freeCopies = 1;      // that stages may have in flight
  std::deque<BlockedOperand> operands;
  llvm::SmallVector<ResidentOperand> residents;
  std::deque<BlockedOperand> loads; // for the next kernel
  bool loadsMeanwhile = true;       // there is room in the queue for their copies
  llvm::DenseMap<mlir::Value, BufferRef> buffers;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_KERNELLOWERING_H
