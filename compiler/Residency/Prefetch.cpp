// Lets kernels load the first blocks of the kernels behind them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Planning/Estimate.h"
#include "compiler/Planning/GroupKey.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/SequencerScalars.h"
#include "compiler/Planning/StepBytes.h"
#include "compiler/Residency/Residency.h"
#include "compiler/Tensor/TensorLevel.h"
#include "compiler/Tensor/TensorTypes.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace systole {
namespace {

/// A fusion with its blocks, and what VMEM has while it runs.
struct Kernel {
  kernel::FusionOp fusion;
  Blocking blocking;
  int64_t bytes = 0;    ///< of its blocks that are not prefetched, and of its stages
  int64_t operands = 0; ///< arrays that it reads and writes
  std::optional<RowRange> prefetched = std::nullopt; ///< where its blocks are loaded
};

class BlockLoader {
public:
  BlockLoader(Block &block, const VmemRows &vmem, const PlanningContext &machine)
      : block(block), vmem(vmem), machine(machine) {}

  LogicalResult run() {
    std::optional<Kernel> before;
    for (auto fusion : block.getOps<kernel::FusionOp>()) {
      FailureOr<Kernel> next = kernelOf(fusion);
      if (failed(next))
        return failure();
      if (before && kernel::loaderOf(fusion) == before->fusion)
        prefetch(*before, *next);
      before = *std::move(next);
    }
    return success();
  }

private:
  FailureOr<Kernel> kernelOf(kernel::FusionOp fusion) {
    FailureOr<Blocking> blocking = blockingOf(fusion);
    if (failed(blocking))
      return failure();
    SmallVector<Operation *> ops = operationsOf(fusion);
    Axes axes(ops);
    StepBytes bytes(ops, axes.groupTensors(), machine.precision);
    Kernel kernel{fusion, *std::move(blocking)};
    kernel.bytes = bytes.footprint(kernel.blocking);
    kernel.operands = int64_t(fusion.getInputs().size() + fusion.getNumResults()) +
                      llvm::count_if(blockedOperands(fusion, kernel.blocking),
                                     [](const OperandBlocks &operand) { return operand.ownUse; });
    // Stages that run ahead of products need more.
    if (!ops.empty())
      kernel.bytes += estimateOf(ops, kernel.blocking, machine.model, machine.precision).handedOn;
    return kernel;
  }

  /// Rows of VMEM for the blocks of an input; nothing if its first block cannot be prefetched.
  std::optional<int64_t> rowsOf(OpOperand &input, const Kernel &loader, const Kernel &next) const {
    RankedTensorType type = typeOf(input.get());
    // The sequencer may hold rank-0 integers.
    if (type.getNumElements() == 0 || isIntegerScalar(input.get()) || !isReadInBlocks(input))
      return std::nullopt;
    Operation *source = input.get().getDefiningOp();
    kernel::FusionOp before = loader.fusion;
    if (source && source->getBlock() == &block && !source->isBeforeInBlock(before))
      return std::nullopt;
    // Parts of arrays begin at rows that are known late.
    if (kernel::isPlacedInPart(input.get()))
      return std::nullopt;
    while (auto view = dyn_cast_or_null<kernel::ReinterpretOp>(source))
      source = view.getSource().getDefiningOp();
    if (source && !isa<kernel::FusionOp>(source) && !source->hasTrait<OpTrait::ConstantLike>())
      return std::nullopt;
    kernel::FusionOp fusion = next.fusion;
    Value argument = fusion.getBody().getArgument(input.getOperandNumber());
    if (next.blocking.isResident(argument))
      return std::nullopt;
    SmallVector<OperandBlocks> blocks;
    for (const OperandBlocks &operand : blockedOperands(fusion, next.blocking))
      if (operand.value == argument)
        blocks.push_back(operand);
    if (blocks.size() != 1 || blocks.front().ownUse)
      return std::nullopt;
    bool changes = false;
    for (const Cut &cut : next.blocking.cuts) {
      if (cut.map->inputHalos.contains(argument))
        return std::nullopt;
      changes |= cut.steps() > 1 && cut.dimOf(argument);
    }
    auto block =
        kernel::BufferType::get(type.getContext(), next.blocking.copiedShape(blocks.front()),
                                type.getElementType(), kernel::Space::vmem);
    // Of what has one buffer, each step loads its block.
    if (changes && llvm::is_contained(next.blocking.singleBuffered, blocks.front()))
      return std::nullopt;
    return block.getPhysicalRows() * (changes ? 2 : 1);
  }

  /// Where blocks of `rows` rows can be while both kernels run; nothing if there is no room.
  /// Kernels that differ in nothing but that would be as many routines: one that the equal ones
  /// have had comes first, then that behind the last one, so that neighbours of a repeated sequence
  /// have places of their own.
  std::optional<RowRange> placeFor(int64_t rows, const Kernel &loader, const Kernel &next,
                                   ArrayRef<int64_t> known) const {
    const kernel::Lifetime lifetime{loader.fusion, next.fusion};
    SmallVector<int64_t> begins(known);
    begins.append({loader.prefetched ? loader.prefetched->second : 0, 0});
    for (auto [number, begin] : llvm::enumerate(begins)) {
      const int64_t first = vmem.firstFreeRow(begin, rows, lifetime, loader.prefetched);
      RowRange range(first, first + rows);
      if (number < known.size() && first != begin)
        continue;
      if (vmem.hasRoomForCopies(range.second) &&
          loader.bytes <= vmem.freeBytes(loader.fusion, range.second) &&
          next.bytes - rows * kRowBytes <= vmem.freeBytes(next.fusion, range.second))
        return range;
    }
    return std::nullopt;
  }

  void prefetch(Kernel &loader, Kernel &next) {
    bool isCalled = llvm::any_of(loader.fusion.getResultTypes(), [](Type type) {
      return cast<RankedTensorType>(type).getNumElements() > 0;
    });
    if (!isCalled)
      return;
    SmallVector<std::pair<int64_t, unsigned>> inputs; // rows and numbers
    for (OpOperand &input : next.fusion->getOpOperands())
      if (std::optional<int64_t> rows = rowsOf(input, loader, next))
        inputs.emplace_back(*rows, input.getOperandNumber());
    // Without the largest ones if all of them do not fit.
    llvm::stable_sort(inputs);
    inputs.truncate(
        std::min(int64_t(inputs.size()), std::max<int64_t>(kMaxOperands - loader.operands, 0)));
    // Kernels that would share a routine may then differ: it has to save as much as a copy takes to
    // begin.
    const double least = machine.model.dmaLatency();
    for (; !inputs.empty() && gainOf(next, inputs) >= least; inputs.pop_back()) {
      int64_t rows = 0;
      for (auto [count, number] : inputs)
        rows += count;
      SmallVector<int64_t> &known = places[keyOf(next, inputs)];
      std::optional<RowRange> range = placeFor(rows, loader, next, known);
      if (!range)
        continue;
      if (!llvm::is_contained(known, range->first))
        known.push_back(range->first);
      return apply(loader, next, inputs, *range);
    }
  }

  /// Cycles that a kernel waits less for its first blocks if those of `inputs` are there.
  double gainOf(const Kernel &kernel, ArrayRef<std::pair<int64_t, unsigned>> inputs) const {
    kernel::FusionOp fusion = kernel.fusion;
    double bytes = 0;
    bool isAll = !inputs.empty();
    for (const OperandBlocks &operand : blockedOperands(fusion, kernel.blocking)) {
      auto argument = dyn_cast<BlockArgument>(operand.value);
      if (!argument || isIntegerScalar(argument) || kernel.blocking.isResident(argument))
        continue;
      bool isLoaded =
          llvm::any_of(inputs, [&](auto input) { return input.second == argument.getArgNumber(); });
      isAll &= isLoaded;
      if (isLoaded)
        bytes += double(blockBytes(kernel.blocking.copiedShape(operand),
                                   typeOf(operand.value).getElementType()));
    }
    return machine.model.channel(bytes, 1) + (isAll ? machine.model.dmaLatency() : 0);
  }

  std::string keyOf(const Kernel &kernel, ArrayRef<std::pair<int64_t, unsigned>> inputs) const {
    std::string key = groupKey(operationsOf(kernel.fusion));
    for (auto [rows, number] : inputs)
      key += std::to_string(number) + "," + std::to_string(rows) + ";";
    return key;
  }

  void apply(Kernel &loader, Kernel &next, ArrayRef<std::pair<int64_t, unsigned>> inputs,
             RowRange range) {
    MLIRContext *context = block.getParentOp()->getContext();
    SmallVector<Attribute> prefetches;
    int64_t place = range.first;
    for (auto [rows, number] : inputs) {
      place += rows;
      prefetches.push_back(kernel::PrefetchAttr::get(
          context, number,
          kernel::PlacementAttr::get(context, kernel::Residency::next, rows, place, /*flag=*/-1)));
    }
    for (Kernel *kernel : {&loader, &next})
      kernel->fusion.setReserved(
          std::max<int64_t>(kernel->fusion.getReserved().value_or(0), range.second));
    next.fusion.setPrefetchedAttr(ArrayAttr::get(context, prefetches));
    next.bytes -= (range.second - range.first) * kRowBytes;
    next.prefetched = range;
  }

  Block &block;
  const VmemRows &vmem;
  const PlanningContext &machine;
  llvm::StringMap<SmallVector<int64_t>> places; ///< that kernels have had, by what they are
};

} // namespace

LogicalResult loadFirstBlocks(ModuleOp module, const VmemRows &vmem,
                              const PlanningContext &machine) {
  bool hasFailed = false;
  forEachBlock(module, [&](Block &block) {
    if (!hasFailed && !isa<kernel::FusionOp>(block.getParentOp()))
      hasFailed = failed(BlockLoader(block, vmem, machine).run());
  });
  return failure(hasFailed);
}

} // namespace systole
