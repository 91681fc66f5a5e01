// Legality of a blocking: alignment of DMA, order of the grid, order of sums.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Legality.h"

#include "compiler/Planning/StepChunks.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/SumOrder.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Resident.h"

using namespace mlir;

namespace systole {

/// Blocks of one cut are not cut again by another.
static std::optional<Violation> cutTwice(const Blocking &blocking) {
  llvm::SmallDenseSet<std::pair<Value, int64_t>, 32> seen;
  for (const Cut &cut : blocking.cuts)
    for (auto [value, at] : cut.map->dims)
      if (!seen.insert({value, at.dim}).second)
        return Violation{"two of its axes divide the same dimension", cut.seed};
  for (const Cut &cut : blocking.cuts)
    for (const auto *spans : {&cut.map->halos, &cut.map->inputHalos})
      for (const auto &[value, span] : *spans)
        if (cut.dimOf(value) != span.dim && !seen.insert({value, span.dim}).second)
          return Violation{"two of its axes divide the same dimension", cut.seed};
  // Nor is what an operation reads in blocks of its own.
  auto isCutOnce = [&](OpOperand &operand) {
    llvm::SmallDenseSet<int64_t> dims;
    return llvm::all_of(blocking.cuts, [&](const Cut &cut) {
      std::optional<int64_t> dim = cut.dimOf(operand);
      return !dim || dims.insert(*dim).second;
    });
  };
  for (const Cut &cut : blocking.cuts)
    for (OpOperand *operand : llvm::make_first_range(cut.map->ownDims))
      if (!isCutOnce(*operand))
        return Violation{"two of its axes divide the same dimension", operand->get()};
  return std::nullopt;
}

static bool startsAtWholeRows(RankedTensorType type, ArrayRef<int64_t> block) {
  // Each row of 32-bit elements is a whole one.
  if (type.getElementTypeBitWidth() == 32 || block == type.getShape())
    return true;
  auto buffer = kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                                        kernel::Space::hbm);
  return kernel::startsAtWholeRows(buffer, block);
}

static std::optional<Violation> brokenRows(const Blocking &blocking, const GroupTensors &tensors) {
  auto violation = [](Value value) {
    return Violation{"its blocks do not consist of whole rows of 512 bytes", value};
  };
  // Blocks with a halo start where their unit says.
  for (const auto *values : {&tensors.inputs, &tensors.outputs})
    for (Value value : *values)
      if (!startsAtWholeRows(typeOf(value), blocking.resultShape(value)))
        return violation(value);
  for (const Cut &cut : blocking.cuts)
    for (OpOperand *operand : llvm::make_first_range(cut.map->ownDims))
      if (!startsAtWholeRows(typeOf(operand->get()), blocking.blockShape(*operand)))
        return violation(operand->get());
  return std::nullopt;
}

/// No dimension of an operand has offsets along two cuts, and of a reshape with a block of its own
/// none but one: of others there is the run that stands for elements of the result. A value that is
/// read at an offset along a cut is not cut by it along another dimension, for other readers.
static std::optional<Violation> conflictingOffset(const Blocking &blocking) {
  llvm::SmallDenseSet<std::pair<OpOperand *, int64_t>> seen;
  for (const Cut &cut : blocking.cuts)
    for (const OffsetBlock &block : cut.map->offsetBlocks) {
      bool isRun = isa<stablehlo::ReshapeOp>(block.operand->getOwner()) &&
                   blocking.hasOwnBlock(*block.operand);
      int64_t dim = isRun ? 0 : block.dim;
      if (!seen.insert({block.operand, dim}).second)
        return Violation{"two of its axes move the blocks that one operation reads", block.value()};
      if (cut.dimOf(block.value()).value_or(block.dim) != block.dim)
        return Violation{"one of its axes divides two dimensions, for two operations that read "
                         "them",
                         block.value()};
    }
  return std::nullopt;
}

static std::optional<Violation> unalignedTile(const Blocking &blocking, const Axes &axes) {
  for (const Cut &cut : blocking.cuts) {
    if (cut.blockSize >= cut.size || axes.startsAtQuanta(cut, cut.blockSize))
      continue;
    std::optional<int64_t> quantum = axes.quantumOf(cut, /*vectors=*/false);
    std::string needed =
        quantum ? "are multiples of " + std::to_string(*quantum) : "do not exist along this axis";
    return Violation{"it has tiles of " + std::to_string(cut.blockSize) + " of dimension " +
                         std::to_string(cut.seedDim) +
                         "; those that start and end at whole rows of 512 bytes " + needed,
                     cut.seed};
  }
  return std::nullopt;
}

/// Whether there are windows for the blocks of `op`; and if it updates an array step by step,
/// whether nothing else in the kernel reads that, which some steps have changed already.
static bool hasWindows(Operation *op, const Blocking &blocking, ArrayRef<Operation *> ops) {
  if (blocking.isWhole())
    return true;
  Value sliced = slicedValue(op), cut = sliced ? sliced : op->getResult(0);
  bool meets = isUpdatedInHbm(op->getResult(0)) &&
               llvm::any_of(op->getOperand(0).getUsers(), [&](Operation *user) {
                 return user != op && llvm::is_contained(ops, user);
               });
  return !meets && windowOfBlock(op, blocking.blockShape(cut));
}

/// Of what VMEM keeps there are the blocks in which it lies, and parts of one that is all of it.
static std::optional<Violation> missingBlock(const Blocking &blocking) {
  for (const ResidentBlocks &resident : blocking.residents) {
    RankedTensorType type = typeOf(resident.value);
    SmallVector<int64_t> block = blocking.copiedShape({resident.value});
    bool isOffset = llvm::any_of(blocking.cuts, [&](const Cut &cut) {
      return cut.map->inputHalos.contains(resident.value);
    });
    bool hasOwn = isa<BlockArgument>(resident.value) &&
                  llvm::any_of(resident.value.getUses(),
                               [&](OpOperand &operand) { return blocking.hasOwnBlock(operand); });
    bool isThere =
        resident.block.empty() || llvm::equal(resident.block, block) ||
        (llvm::equal(resident.block, type.getShape()) && kernel::isRunOfRows(type, block));
    if (isOffset || hasOwn || !isThere)
      return Violation{"VMEM keeps one of its operands in other blocks", resident.value};
  }
  return std::nullopt;
}

/// A block that has been written does not come back: the axes that cut a result are the outer
/// ones.
static bool isVisitedOnce(const Blocking &blocking, Value value) {
  bool isCut = true;
  for (const Cut &cut : blocking.cuts) {
    if (cut.dimOf(value) && !isCut)
      return false;
    isCut &= cut.dimOf(value).has_value();
  }
  return true;
}

/// Arrays in HBM and blocks of them that a kernel takes, at most: each is an argument of a routine,
/// which has that many scalar registers for them.
static constexpr size_t kMostArguments = 28;

/// Whether a call has room for the arguments. An input is an argument for all readers of its common
/// block, and one more for each reader that has its own.
static bool hasArguments(const Blocking &blocking, const Axes &axes) {
  const GroupTensors &tensors = axes.groupTensors();
  size_t count = tensors.outputs.size() + tensors.elsewhere.size();
  llvm::SmallPtrSet<Value, 16> common;
  for (Operation *op : axes.operations())
    for (OpOperand &operand : op->getOpOperands()) {
      if (!tensors.inputs.contains(operand.get()) || isWindowed(operand))
        continue;
      if (blocking.hasOwnBlock(operand) || common.insert(operand.get()).second)
        ++count;
    }
  return count <= kMostArguments;
}

std::optional<Violation> axesViolationOf(const Blocking &blocking, const Axes &axes) {
  if (std::optional<Violation> twice = cutTwice(blocking))
    return twice;
  if (std::optional<Violation> offset = conflictingOffset(blocking))
    return offset;
  if (!blocking.isWhole() && !hasArguments(blocking, axes))
    return Violation{"it has more blocks than a kernel takes, " + std::to_string(kMostArguments),
                     axes.operations().back()->getResult(0)};
  for (Value value : axes.groupTensors().outputs)
    if (!isVisitedOnce(blocking, value))
      return Violation{"the grid comes back to blocks that it has written: axes that divide a "
                       "result have to be the outer ones",
                       value};
  return std::nullopt;
}

std::optional<Violation> tilesViolationOf(const Blocking &blocking, const Axes &axes) {
  const GroupTensors &tensors = axes.groupTensors();
  if (std::optional<Violation> rows = brokenRows(blocking, tensors))
    return rows;
  if (std::optional<Violation> tile = unalignedTile(blocking, axes))
    return tile;
  if (std::optional<Violation> missing = missingBlock(blocking))
    return missing;
  for (Operation *op : tensors.windowed)
    if (!hasWindows(op, blocking, axes.operations()))
      return Violation{"it has blocks for which there are no windows in HBM", op->getResult(0)};
  return std::nullopt;
}

std::optional<Violation> violationOf(const Blocking &blocking, const Axes &axes) {
  if (std::optional<Violation> violation = axesViolationOf(blocking, axes))
    return violation;
  return tilesViolationOf(blocking, axes);
}

std::optional<Violation> orderViolationOf(const Blocking &blocking, const Axes &axes) {
  for (Operation *op : axes.operations()) {
    if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
      if (std::string problem = orderProblemOf(reduce); !problem.empty())
        return Violation{problem, op->getResult(0)};
    if (stepChunksOf(op, blocking))
      continue;
    SmallVector<int64_t> wanted, found;
    bool isFree = true;
    for (const Chunks &chunks : chunksOf(op)) {
      wanted.push_back(chunks.size);
      isFree &= chunks.isFree;
    }
    for (const Cut &cut : blocking.cuts)
      if (llvm::is_contained(cut.map->accumulating, op))
        found.push_back(cut.blockSize);
    auto list = [](ArrayRef<int64_t> sizes) {
      std::string text;
      for (int64_t size : sizes)
        text += (text.empty() ? "" : ", then ") + std::to_string(size);
      return text.empty() ? "at once" : "in pieces of " + text;
    };
    return Violation{"it does a sum " + list(found) + "; the order of this one is " + list(wanted) +
                         (isFree ? ", or multiples of it" : ""),
                     op->getResult(0)};
  }
  return std::nullopt;
}

} // namespace systole
