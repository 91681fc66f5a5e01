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

#include <array>
#include <deque>

namespace systole::codegen {

struct KernelOptions {
  bool excessPrecision = false;
  /// Two halves for blocks that change from step to step, so that copies overlap with
  /// computation; without, each step waits for its copies.
  bool doubleBuffer = true;
  /// Keep the parts of operands that products take in several passes, instead of
  /// splitting them wherever they are read.
  bool splitOnce = true;
};

/// One operand of a kernel that is cut into blocks in VMEM.
struct BlockedOperand {
  kernel::OperandAttr attr;
  mlir::Value hbmRegion;
  mlir::BlockArgument buffer; // in the kernel's body
  BlockCopy copy;
  BufferRef ref{};
  std::optional<LiveRange> uses{};
  /// By half; the first one of a block that does not change.
  std::array<int, 2> inFlags{}, outFlags{};
  /// Copies of one block in flight at once; 0: one after the other, waiting for each.
  int64_t window = 0;
  /// The block is another one in some later step, or in every step.
  bool changes = false, changesAlways = false;
  /// Two blocks have a place in VMEM.
  bool hasHalves = false;

  bool reads() const { return attr.getRole() != kernel::Role::out; }
  bool writes() const { return attr.getRole() != kernel::Role::in; }
};

/// A blocked operand in one step of the grid. Scalars of 0 or 1.
struct StepState {
  BlockedOperand *operand;
  llvm::SmallVector<mlir::Value> block, nextBlock;
  /// The half that holds the step's block, the other one, and the next step's.
  mlir::Value half{}, notHalf{}, nextHalf{};
  /// The step's block has been started and not been waited for.
  mlir::Value arriving{};
  /// The next step has another block.
  mlir::Value nextChanges{};
  /// The block that stood in a half before has been started out and not been waited for.
  std::array<mlir::Value, 2> leaving{};
};

class KernelLowering : public ControlLowering {
public:
  /// `emitter` stands in the routine's body, whose `arguments` are the operands' regions
  /// and the scalars.
  KernelLowering(kernel::FuncOp kernel, mlir::ValueRange arguments, Emitter &emitter,
                 KernelMemory &memory, const KernelOptions &options);
  mlir::LogicalResult lower();

private:
  /// Number of a block in each dimension of an operand.
  using BlockIndex = llvm::SmallVector<mlir::Value>;

  // Setting up (KernelOperands.cpp).
  mlir::LogicalResult bindOperands();
  mlir::LogicalResult loadStream(size_t number);
  void waitForStreams();
  void assignFlags();
  void allocateBuffers();

  // Copies of blocks (KernelCopies.cpp). `half` is a scalar, or null for the only place.
  void startIn(const BlockedOperand &operand, const BlockIndex &block, mlir::Value half);
  void startOut(const BlockedOperand &operand, const BlockIndex &block, mlir::Value half);
  void start(const BlockedOperand &operand, BlockCopy::Direction direction, const BlockIndex &block,
             mlir::Value half);
  void wait(const BlockedOperand &operand, int flag, mlir::Value condition = nullptr);
  void waitIn(const StepState &state);
  void waitOut(StepState &state);
  llvm::SmallVector<mlir::Value> gridIndices(mlir::Value step);
  BlockIndex blockOf(const BlockedOperand &operand, mlir::ArrayRef<mlir::Value> grid);
  mlir::Value differs(const BlockIndex &a, const BlockIndex &b);

  // The grid (KernelGrid.cpp).
  mlir::LogicalResult lowerOnce();
  mlir::LogicalResult lowerSteps();
  mlir::LogicalResult lowerStep(mlir::Value step, mlir::ValueRange carried,
                                llvm::SmallVectorImpl<mlir::Value> &next);
  llvm::SmallVector<StepState> stepStates(mlir::Value step, mlir::ArrayRef<mlir::Value> grid,
                                          mlir::ValueRange carried);

  // Stages (KernelLowering.cpp).
  mlir::LogicalResult lowerOther(mlir::Operation &op) override;
  mlir::LogicalResult lowerLoadScalar(kernel::LoadScalarOp op);
  template <typename Op> mlir::LogicalResult lowerProduct(Op op);
  mlir::LogicalResult lowerOverlap(kernel::OverlapOp op);
  BufferRef buffer(mlir::Value value) const { return buffers.lookup(value); }
  llvm::SmallVector<BufferRef> refs(mlir::ValueRange values) const;

  kernel::FuncOp kernel;
  mlir::ValueRange arguments;
  KernelMemory &memory;
  const KernelOptions &options;
  BodyLiveness liveness;
  int64_t steps = 1;
  int64_t streamsInFlight = 0; // on stageFlag
  int64_t freeCopies = 1;      // that stages may have under way
  std::deque<BlockedOperand> operands;
  llvm::DenseMap<mlir::Value, BufferRef> buffers;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_KERNELLOWERING_H
