// The stages that kernel formation makes of operations (compiler/Tiling), and their cost.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_COST_STAGEESTIMATOR_H
#define SYSTOLE_COMPILER_PLANNING_COST_STAGEESTIMATOR_H

#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/ConvolutionPlan.h"
#include "compiler/Planning/Cost/Ahead.h"
#include "compiler/Planning/Cost/ContractionCost.h"
#include "compiler/Planning/Cost/GroupCosts.h"
#include "compiler/Planning/Cost/Pieces.h"
#include "compiler/Planning/Windows.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace systole {

class StageEstimator {
public:
  StageEstimator(GroupCosts &group, const Blocking &blocking, int precision);
  void run();
  /// Sets the bytes of products and those that are free.
  void measureProducts(AheadRequest &request) const;

  /// The first and the last stage that uses an operand.
  struct Uses {
    size_t first, last;
  };
  llvm::SmallVector<StageCost> stages;
  llvm::SmallVector<std::pair<OperandBlocks, Uses>> operands;
  /// Operands that had better arrive in several pieces.
  llvm::SmallVector<std::pair<OperandBlocks, Pieces>, 1> divided;
  /// Cycles of HBM's channel for copies inside of stages.
  double windowChannel = 0;
  const GroupTensors &tensors;

private:
  using Value = mlir::Value;
  using Operation = mlir::Operation;

  // Buffers (StageEstimator.cpp).
  VmemBlock blockOf(Value value) const;
  bool hasHalves(Value value) const;
  /// Whether stages read or write the blocks of `value` that the kernel copies: what leaves it is
  /// copied out of a buffer with a halo.
  bool isOperand(Value value) const;
  bool isInside(Value value) const { return group.contains(value.getDefiningOp()); }
  void visit(const GroupCosts::Member &member);
  void add(const StageCost &cost) { stages.push_back(cost); }
  /// The next stage uses `value`, which may be a view of another.
  void use(Value value, mlir::OpOperand *offsetUse = nullptr);
  /// The same of an operand or result of the kernel.
  void record(const OperandBlocks &operand);
  /// The buffer of `value` exists from here on.
  void define(Value value);
  void addBuffer(Value value);
  void require(Value value);
  void fillOutputs();
  /// The buffer of what an operation reads of an operand as a whole.
  VmemBlock require(mlir::OpOperand &operand);
  /// The next stage reads `operand`.
  void use(mlir::OpOperand &operand);

  // Expressions (ExpressionCost.cpp).
  /// The stage that computes the buffer of `value`, or blocks of results that leave the kernel.
  void estimateMap(Value value);
  void estimateResults(llvm::ArrayRef<Value> values);
  /// The inputs and instructions of the expressions of `values`.
  void collect(llvm::ArrayRef<Value> values, MapStage &stage);
  /// A map of whole buffers, with these instructions for each element.
  void estimateElements(const VmemBlock &block, int inputs, const Arithmetic &all,
                        const Arithmetic &chain, bool pinsAll = false);

  /// Whether each element of `block` is within ranges along `dims`, and another one if not.
  void estimateSelect(const VmemBlock &block, llvm::ArrayRef<int64_t> dims);

  // Movement (MovementCost.cpp).
  struct Source {
    VmemBlock block;
    llvm::SmallVector<int64_t> first;
    llvm::SmallVector<const Cut *> cuts;
    bool hasOffset() const {
      return llvm::any_of(cuts, [](const Cut *cut) { return cut != nullptr; });
    }
  };
  Source sourceOf(Operation *op, unsigned operand);
  void estimateMovement(Operation *op);
  /// Whether `op` has no stage: its readers, all in this group, move what it would.
  bool leavesToReader(Operation *op) const;
  void estimateReshape(stablehlo::ReshapeOp op);
  void estimateConcatenate(stablehlo::ConcatenateOp op);
  void estimatePad(stablehlo::PadOp op);
  void estimateReshapeCopy(const VmemBlock &from, const VmemBlock &to);
  /// Copies `sizes` from `first` on, with a stride and the dimension of the destination that each
  /// goes to.
  struct Side {
    llvm::SmallVector<int64_t> first, strides;
  };
  void estimateCopy(const VmemBlock &from, const VmemBlock &to, llvm::ArrayRef<int64_t> sizes,
                    const Side &source, const Side &destination,
                    llvm::ArrayRef<int64_t> sourceDims = {}, bool lanesKnown = true);
  /// The fill of a block around the box that a copy writes.
  void estimateFillAround(const VmemBlock &block, llvm::ArrayRef<int64_t> first,
                          llvm::ArrayRef<int64_t> sizes);

  // Reductions and products (ReductionCost.cpp).
  void estimateReduce(stablehlo::ReduceOp op);
  ReduceStage reduceStage(stablehlo::ReduceOp op, llvm::ArrayRef<int64_t> shape, size_t first,
                          size_t count);
  void estimateDot(stablehlo::DotGeneralOp op);
  /// Whether the product, which is the next stage, takes its left operand in pieces.
  void divide(mlir::OpOperand &lhs, const ProductStage &stage);
  void estimateSums(Operation *op, bool isOnePass,
                    llvm::function_ref<void(bool rounds, bool accumulates)> product);
  /// Bytes of VMEM that the blocks leave to a stage.
  int64_t freeBytes() const;

  // Convolutions (ConvolutionCost.cpp).
  void estimateConvolution(stablehlo::ConvolutionOp op);
  VmemBlock paddedImage(stablehlo::ConvolutionOp op);
  /// The image before elements of the outermost folded dimension lie side by side, and with them.
  std::pair<VmemBlock, VmemBlock> foldedImage(stablehlo::ConvolutionOp op, VmemBlock image);
  /// Their sums of a filter's gradient as rows of the result.
  void estimateUnfolding(stablehlo::ConvolutionOp op, const VmemBlock &blocks,
                         const VmemBlock &rest, const VmemBlock &sums);
  VmemBlock splitGroups(const VmemBlock &block, int64_t dim, int64_t groups);
  void estimatePositions(stablehlo::ConvolutionOp op, int passes);
  void estimateFolded(stablehlo::ConvolutionOp op, int passes);
  void estimateFilter(stablehlo::ConvolutionOp op, int passes);
  void estimateChannels(stablehlo::ConvolutionOp op);
  void estimateChannelFilter(stablehlo::ConvolutionOp op);
  void estimateContraction(Contraction &contraction, stablehlo::ConvolutionOp op, int passes,
                           bool rounds, bool accumulates);

  // Indexed operations (IndexedCost.cpp).
  void estimateIndexed(Operation *op);
  void estimateGather(stablehlo::GatherOp op);
  void estimateScatter(stablehlo::ScatterOp op);
  /// Windows of HBM: `count` copies, of which some may be in flight.
  void estimateWindows(const CopyWindow &window, double count, bool overlap);

  GroupCosts &group;
  const Blocking &blocking;
  const MachineModel &model;
  int precision;
  bool isGrid;
  llvm::SmallPtrSet<Value, 32> buffers;
  llvm::SmallVector<Value> defined; ///< `buffers` without the kernel's operands, in their order
  llvm::DenseMap<Value, Value> views;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_COST_STAGEESTIMATOR_H
