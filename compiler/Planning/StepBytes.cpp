// The VMEM that the steps of a kernel's grid take.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/StepBytes.h"

#include "compiler/Planning/ConvolutionPlan.h"
#include "compiler/Planning/Halos.h"
#include "compiler/Planning/Precision.h"
#include "compiler/Planning/ReduceSteps.h"
#include "compiler/Planning/StepChunks.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/Scatters.h"
#include "compiler/Tensor/TensorTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {

template <typename Values, typename Bytes> static int64_t sum(const Values &values, Bytes bytes) {
  int64_t total = 0;
  for (const auto &value : values)
    total += bytes(value);
  return total;
}

int64_t StepBytes::windowBytes(const Blocking &blocking) const {
  int64_t total = 0;
  for (Operation *op : tensors.windowed) {
    CopyWindow window = *windowOf(op);
    Value sliced = slicedValue(op), cut = sliced ? sliced : op->getResult(0);
    // Blocks that no window is found for are not valid.
    if (auto block = windowOfBlock(op, blocking.blockShape(cut)))
      window = *block;
    if (window.isDirect)
      continue;
    int64_t place =
        window.count * blockBytes(window.place(), typeOf(op->getOperand(0)).getElementType());
    // An update with a last block that is shorter is selected from what is there.
    total += isa<stablehlo::DynamicUpdateSliceOp>(op) ? 2 * place : place;
  }
  return total;
}

/// Calls f(operand, block) for all blocks that are copied: of inputs, of which
/// some operations may have windows instead, and of outputs.
template <typename F> void StepBytes::forEachBlock(const Blocking &blocking, F f) const {
  auto plain = [&](Value value) {
    f(OperandBlocks{value}, blocking.copiedShape(OperandBlocks{value}));
  };
  for (Value input : tensors.inputs) {
    bool isRead = false;
    for (OpOperand &use : input.getUses()) {
      if (!inside.contains(use.getOwner()) || isWindowed(use))
        continue;
      if (blocking.hasOwnBlock(use))
        f(OperandBlocks{input, &use}, blocking.blockShape(use));
      else
        isRead = true;
    }
    if (isRead)
      plain(input);
  }
  llvm::for_each(tensors.outputs, plain);
}

int64_t StepBytes::productBytes(stablehlo::DotGeneralOp op, const Blocking &blocking) const {
  int64_t sums = blockBytes(blocking.blockShape(op), Float32Type::get(op.getContext())), total = 0;
  // Products of narrow elements are summed beside their result, and passes beside the first one.
  if (typeOf(op).getElementTypeBitWidth() < 32)
    total += sums;
  int asked = passesOf(op);
  if (!isOnePass(op, asked ? asked : passes))
    total += sums;
  // Copies without what is behind the end of the last chunk.
  const Cut *chunks = blocking.chunksOf(op);
  if (chunks && chunks->size % chunks->blockSize != 0)
    for (OpOperand &operand : op->getOpOperands())
      total += blockBytes(blocking.blockShape(operand), typeOf(operand.get()).getElementType());
  return total;
}

int64_t StepBytes::convolutionBytes(stablehlo::ConvolutionOp op, const Blocking &blocking) const {
  const int64_t total = scratchBytes(op, blocking);
  const std::optional<ConvolutionForm> form = formOf(op);
  const bool isProduct = form == ConvolutionForm::Positions || form == ConvolutionForm::Filter;
  int asked = passesOf(op);
  if (!isProduct || !typeOf(op).getElementType().isF32() || isOnePass(op, asked ? asked : passes))
    return total;
  // Passes are summed beside the first one, phase by phase.
  SmallVector<int64_t> sums = blocking.blockShape(op.getResult());
  if (form == ConvolutionForm::Positions)
    for (auto [number, dim] : llvm::enumerate(op.getWindow()))
      sums[number + 1] = llvm::divideCeil(sums[number + 1], dim.lhsDilation);
  return total + blockBytes(sums, typeOf(op).getElementType());
}

/// The results of a chunk, and the vectors that its sums start from.
static int64_t reductionBytes(stablehlo::ReduceOp op, const Blocking &blocking) {
  SmallVector<StepChunk> chunks = chunksOfBlock(op, blocking);
  bool isCombined = blocking.chunksOf(op) || chunks.size() > 1;
  ReduceSteps steps = reduceSteps(op, chunks.front().shape);
  int64_t total = 0;
  for (Value result : op.getResults()) {
    Type element = typeOf(result).getElementType();
    if (isCombined)
      total += 3 * blockBytes(blocking.blockShape(result), element);
    if (steps.hasSecond())
      total += blockBytes(steps.between(chunks.front().shape), element);
  }
  return total;
}

/// The updates that are copied from HBM at once.
static int64_t scatterBytes(stablehlo::ScatterOp op) {
  if (!hasChunks(op))
    return 0;
  return sum(op.getUpdates(), [](Value update) {
    SmallVector<int64_t> shape(typeOf(update).getShape());
    shape.front() = scatterChunk(ArrayRef(shape).drop_front());
    return blockBytes(shape, typeOf(update).getElementType());
  });
}

int64_t StepBytes::stageBytes(Operation *op, const Blocking &blocking) const {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](stablehlo::DotGeneralOp op) { return productBytes(op, blocking); })
      .Case([&](stablehlo::ConvolutionOp op) { return convolutionBytes(op, blocking); })
      .Case([&](stablehlo::ReduceOp op) { return reductionBytes(op, blocking); })
      .Case([&](stablehlo::ScatterOp op) { return scatterBytes(op); })
      .Default(int64_t(0));
}

int64_t StepBytes::footprint(const Blocking &blocking) const {
  int64_t total = 0;
  forEachBlock(blocking, [&](const OperandBlocks &operand, ArrayRef<int64_t> block) {
    if (blocking.isResident(operand.value))
      return;
    total +=
        blockBytes(block, typeOf(operand.value).getElementType()) * blocking.buffersOf(operand);
  });
  auto step = [&](Value value) {
    return blockBytes(blocking.blockShape(value), typeOf(value).getElementType());
  };
  // What is read at an offset moves within VMEM before it is selected from.
  llvm::SmallDenseSet<OpOperand *> moved;
  for (const Cut &cut : blocking.cuts)
    for (const OffsetBlock &block : cut.map->offsetBlocks) {
      Operation *op = block.operand->getOwner();
      if (!isExpression(op) && kindOf(op) != OpKind::Convolution &&
          !(isMovedByReader(op) && !tensors.outputs.contains(op->getResult(0))) &&
          moved.insert(block.operand).second)
        total += step(op->getResult(0));
    }
  for (Operation *op : ops)
    total += stageBytes(op, blocking);
  // Results leave from a block of their own where others read them with a halo, and what operations
  // read in place of all of a buffer is copied out of it.
  for (Value value : tensors.outputs)
    if (blocking.hasHalo(value))
      total += step(value);
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands())
      if (readsPart(operand, blocking))
        total += blockBytes(blocking.blockShape(operand), typeOf(operand.get()).getElementType());
  return total + sum(tensors.inner, step) + windowBytes(blocking);
}

int64_t StepBytes::replicatedFootprint(const Blocking &blocking) const {
  return footprint(blocking) + sum(tensors.inner, [&](Value value) -> int64_t {
           if (!tensors.isReplicated(value))
             return 0;
           SmallVector<int64_t> shape = blocking.blockShape(value);
           return llvm::product_of(shape, int64_t(1)) * kRowBytes -
                  blockBytes(shape, typeOf(value).getElementType());
         });
}

} // namespace systole
