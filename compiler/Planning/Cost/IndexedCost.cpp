// Slices, updates, gathers and scatters at computed positions (compiler/Tiling/StageIndexed.cpp,
// StageGather.cpp and StageScatter.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/StageEstimator.h"

#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/Scatters.h"
#include "compiler/Tensor/TensorTypes.h"

#include <cmath>

using namespace mlir;

namespace systole {

namespace {

// Scalar instructions of one position, by what codegen emits: its index is loaded and clamped, and
// becomes a row.
constexpr double kIndexScalars = 6, kIndexChain = 5;
constexpr double kAddressScalars = 6;
/// Of an update: its comparison, and the condition's bundle.
constexpr double kUpdateScalars = 4;

SmallVector<int64_t> ones(size_t rank) { return SmallVector<int64_t>(rank, 1); }
SmallVector<int64_t> zeros(size_t rank) { return SmallVector<int64_t>(rank, 0); }

} // namespace

void StageEstimator::estimateWindows(const CopyWindow &window, double count, bool overlap) {
  double each = model.channel(double(window.bytes), 1);
  double scalars = model.scalar(kIndexScalars + kAddressScalars, kIndexChain) + model.smemLoad() +
                   model.dmaIssue();
  windowChannel += each * count;
  // As many copies as the queue holds are under way for a latency.
  double places = double(std::max<int64_t>(1, model.dmaQueueDepth() - 1));
  double apart = std::max({each, scalars, (model.dmaLatency() + each) / places});
  double cycles =
      overlap ? apart * count + model.dmaLatency() : (each + scalars + model.dmaLatency()) * count;
  add({cycles, {}});
}

void StageEstimator::estimateIndexed(Operation *op) {
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
    return estimateGather(gather);
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return estimateScatter(scatter);
  bool isUpdate = isa<stablehlo::DynamicUpdateSliceOp>(op);
  Value result = op->getResult(0), sliced = slicedValue(op);
  VmemBlock part = blockOf(sliced);
  size_t rank = part.shape.size();
  Side whole{zeros(rank), ones(rank)};
  auto lanesKnown = [&](const VmemBlock &block) { return part.lanes() == block.lanes(); };
  if (!windowOf(op)) {
    VmemBlock operand = blockOf(op->getOperand(0));
    require(op->getOperand(0));
    use(op->getOperand(0));
    define(result);
    if (!isUpdate)
      return estimateCopy(operand, part, part.shape, whole, whole, {}, lanesKnown(operand));
    estimateCopy(operand, operand, operand.shape, whole, whole);
    require(sliced);
    use(sliced);
    use(result);
    return estimateCopy(part, operand, part.shape, whole, whole, {}, lanesKnown(operand));
  }
  CopyWindow window = *windowOfBlock(op, part.shape);
  VmemBlock place(window.place(), part.element);
  bool isShorter = llvm::any_of(window.missing, [](int64_t elements) { return elements != 0; });
  if (isUpdate) {
    require(sliced);
    use(sliced);
    if (!window.isDirect) {
      estimateWindows(window, 1, false);
      estimateCopy(part, place, part.shape, whole, whole, {}, lanesKnown(place));
      if (isShorter)
        estimateElements(place, 2, {8}, {4}, /*pinsAll=*/true);
    }
    return estimateWindows(window, 1, false);
  }
  if (window.isDirect) {
    define(result);
    return estimateWindows(window, 1, false);
  }
  estimateWindows(window, 1, false);
  define(result);
  estimateCopy(place, part, part.shape, whole, whole, {}, lanesKnown(place));
}

void StageEstimator::estimateGather(stablehlo::GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  SmallVector<int64_t> shape = blocking.blockShape(op.getResult());
  VmemBlock operand = blockOf(op.getOperand()), to = blockOf(op.getResult());
  double positions = 1;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (!llvm::is_contained(numbers.getOffsetDims(), d))
      positions *= shape[d];
  // The copy of one position: dimensions of the slice that the result keeps.
  CopyStage copy;
  copy.packing = kernel::LayoutAttr::packingOf(operand.element);
  size_t kept = 0;
  bool lanesKnown = true;
  auto cells = [](const VmemBlock &block, size_t dim) {
    return dim + 1 == block.shape.size() ? 1 : block.pitch(dim) * kLanes;
  };
  std::optional<CopyWindow> window;
  if (windowOf(op))
    window = windowOfBlock(op, shape);
  VmemBlock source = window ? VmemBlock(window->place(), operand.element) : operand;
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    bool isLast = d + 1 == operand.shape.size();
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), d) ||
        llvm::is_contained(numbers.getOperandBatchingDims(), d)) {
      lanesKnown &= !isLast || operand.shape[d] == 1;
      continue;
    }
    int64_t resultDim = numbers.getOffsetDims()[kept++];
    lanesKnown &= !isLast || shape[resultDim] >= source.shape[d];
    copy.loops.push_back({shape[resultDim], cells(source, d), cells(to, resultDim)});
  }
  lanesKnown &= llvm::is_contained(numbers.getOffsetDims(), static_cast<int64_t>(shape.size()) - 1);
  copy.srcLanes = source.lanes();
  copy.dstLanes = to.lanes();
  copy.lanesKnown = lanesKnown;
  double components = double(std::max<size_t>(1, numbers.getStartIndexMap().size()));
  double scalars =
      model.scalar(kIndexScalars * components + kAddressScalars, kIndexChain) + model.smemLoad();
  if (window) {
    define(op.getResult());
    estimateWindows(*window, positions, /*overlap=*/true);
    if (window->isDirect)
      return;
  } else {
    require(op.getOperand());
    use(op.getOperand());
    define(op.getResult());
  }
  // More indices than one array may have in SMEM come in chunks, one after the other.
  double indices = positions * components, chunks = 1;
  if (typeOf(op.getStartIndices()).getNumElements() > model.mostIndices()) {
    chunks = std::ceil(indices / double(model.mostIndices()));
    double each = model.channel(indices / chunks * sizeof(int32_t), 1);
    add({chunks * (each + model.dmaLatency() + model.dmaIssue()), {}});
  }
  StageCost one = costOf(copy, model);
  if (one.hasLoops) {
    one.cycles += scalars;
    return add(one * positions);
  }
  // Positions are the iterations of a software pipeline.
  one.work.scalar += kIndexScalars * components + kAddressScalars;
  one.work.chain += scalars;
  add({chunks * model.pipeline(one.work, positions / chunks), one.work * positions});
}

void StageEstimator::estimateScatter(stablehlo::ScatterOp op) {
  for (auto [input, result] : llvm::zip_equal(op.getInputs(), op.getResults())) {
    require(input);
    use(input);
    define(result);
    VmemBlock block = blockOf(result);
    size_t rank = block.shape.size();
    Side whole{zeros(rank), ones(rank)};
    estimateCopy(block, block, block.shape, whole, whole);
  }
  VmemBlock target = blockOf(op.getResult(0));
  bool isElement = target.shape.size() == 1;
  // One row of the target, or the lane of one element in it.
  MapStage update;
  update.sizes.assign(target.shape.begin() + 1, target.shape.end());
  if (isElement)
    update.sizes.assign({kLanes});
  for (Value result : op.getResults()) {
    StageInput old, added;
    old.block = VmemBlock(update.sizes, typeOf(result).getElementType());
    for (size_t d = 0; d < update.sizes.size(); ++d)
      old.indices.push_back({static_cast<int64_t>(d)});
    added = old;
    if (isElement) {
      added.block = VmemBlock({1}, old.block.element);
      added.indices = {BlockIndex{}};
    }
    update.inputs.push_back(old);
    update.inputs.push_back(added);
    update.outputs.push_back(old.block.element);
  }
  for (Operation &inner : op.getUpdateComputation().front().without_terminator()) {
    OpCost cost = opCost(&inner);
    update.body.all = update.body.all + cost.all;
    update.body.chain = update.body.chain + cost.chain;
  }
  // Whether the element is in this lane, or the row in this block.
  update.body.all = update.body.all + Arithmetic{1 + int(op.getNumResults())};
  update.body.chain = update.body.chain + Arithmetic{1};
  double count = double(typeOf(op.getScatterIndices()).getDimSize(0));
  bool inChunks = hasChunks(op);
  for (Value value : op.getUpdates()) {
    VmemBlock block(ArrayRef<int64_t>(typeOf(value).getShape()), typeOf(value).getElementType());
    if (!inChunks) {
      require(value);
      use(value);
    } else {
      double bytes = double(paddedBytes(typeOf(value)));
      double chunks = count / double(scatterChunk(typeOf(value).getShape().drop_front()));
      double cycles = model.channel(bytes, 1);
      windowChannel += cycles;
      add({cycles + chunks * model.dmaLatency(), {}});
    }
    if (isElement)
      estimateReshapeCopy(block, VmemBlock({block.shape[0], 1}, block.element));
  }
  use(op.getResult(0));
  StageCost one = costOf(update, model);
  // Of an element that another block has, only the comparison is done.
  double steps = 1;
  for (const Cut &cut : blocking.cuts)
    if (cut.dimOf(op.getResult(0)) == 0)
      steps *= double(cut.steps());
  if (!one.hasLoops) {
    // A software pipeline over all updates, of which each may be of the element that the one before
    // has stored.
    Work update = one.work;
    update.scalar += kIndexScalars + kUpdateScalars;
    return add({model.pipeline(update, count, one.work.chain), update * count});
  }
  double scalars = model.scalar(kIndexScalars + kUpdateScalars, kIndexChain) + model.smemLoad() +
                   model.control();
  StageCost all = one * (count / steps);
  all.cycles += scalars * count;
  add(all);
}

} // namespace systole
