// Reductions and matrix products as stages (compiler/Tiling/StageReduce.cpp and
// StageContraction.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/StageEstimator.h"

#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/Cost/Grid.h"
#include "compiler/Planning/Precision.h"
#include "compiler/Planning/ReduceSteps.h"
#include "compiler/Planning/RoundedOperands.h"
#include "compiler/Planning/StepBytes.h"
#include "compiler/Planning/StepChunks.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Resident.h"
#include "dialects/StableHLO/Reducers.h"

using namespace mlir;

namespace systole {

/// The instructions of a combiner, once for `count` of its results from number `first`.
static OpCost combinerCost(mlir::Block &body, size_t first, size_t count) {
  SmallVector<Operation *, 2> apart = combinersOf(body);
  OpCost total;
  llvm::DenseMap<Value, Arithmetic> chains;
  for (Operation &op : body.without_terminator()) {
    if (!apart.empty() && !llvm::is_contained(ArrayRef(apart).slice(first, count), &op))
      continue;
    OpCost cost = opCost(&op);
    Arithmetic before;
    for (Value operand : op.getOperands())
      if (auto it = chains.find(operand);
          it != chains.end() && it->second.vector() >= before.vector())
        before = it->second;
    for (Value result : op.getResults())
      chains[result] = before + cost.chain;
    total.all = total.all + cost.all;
    if (Arithmetic chain = before + cost.chain; chain.vector() >= total.chain.vector())
      total.chain = chain;
  }
  return total;
}

/// Whether the cross-lane unit combines lanes in the way of this body.
static bool hasLaneReduction(stablehlo::ReduceOp op) {
  SmallVector<Operation *, 2> combiners = combinersOf(op.getBody().front());
  return !combiners.empty() && llvm::all_of(combiners, [](Operation *inner) {
    Type element = typeOf(inner->getResult(0)).getElementType();
    bool isNarrow = element.isBF16() || element.isF16();
    bool isExact = isa<stablehlo::MinOp, stablehlo::MaxOp>(inner);
    return inner->getOperand(0) != inner->getOperand(1) && (isExact || !isNarrow) &&
           isa<stablehlo::AddOp, stablehlo::MulOp, stablehlo::MinOp, stablehlo::MaxOp,
               stablehlo::AndOp, stablehlo::OrOp, stablehlo::XorOp>(inner);
  });
}

/// Gives the dimensions of a stage on a block the places that they have in the first step's space.
static void takePlaces(ReduceStage &stage, const ReduceSteps &steps) {
  SmallVector<int64_t, 4> sizes;
  for (int64_t dim : steps.space)
    sizes.push_back(stage.sizes[dim]);
  stage.sizes = sizes;
  for (int64_t &dim : stage.pinned)
    dim = steps.placeOf(dim);
  for (StageInput &input : stage.inputs)
    for (BlockIndex &index : input.indices)
      if (index.dim >= 0)
        index.dim = steps.placeOf(index.dim);
}

/// The reduction of what the first step has left, which VMEM holds.
static ReduceStage secondStage(const ReduceStage &first, const ReduceSteps &steps,
                               ArrayRef<int64_t> shape) {
  ReduceStage stage;
  SmallVector<int64_t> left = steps.between(shape);
  stage.sizes.assign(left.begin(), left.end());
  stage.dims.assign(steps.second.begin(), steps.second.end());
  stage.partials = steps.secondPartials;
  stage.combiner = first.combiner;
  stage.hasUnit = first.hasUnit;
  stage.outputs = first.outputs;
  for (Type element : first.outputs) {
    StageInput input;
    input.block = VmemBlock(left, element);
    for (size_t dim = 0; dim < left.size(); ++dim)
      input.indices.push_back({static_cast<int64_t>(dim)});
    stage.inputs.push_back(input);
  }
  return stage;
}

void StageEstimator::estimateReduce(stablehlo::ReduceOp op) {
  for (Value init : op.getInitValues())
    require(init);
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<StepChunk> chunks = chunksOfBlock(op, blocking);
  // Chunks of a step are alike but for a shorter last one.
  SmallVector<int64_t> shape = chunks.front().shape;
  bool hasSteps = blocking.chunksOf(op), isCombined = hasSteps || chunks.size() > 1;
  ReduceSteps steps = reduceSteps(op, shape);
  // The initial value of the first chunk, and an identity for others.
  for (Value init : op.getInitValues())
    for (int i = 0; i < hasSteps + (chunks.size() > 1); ++i)
      estimateElements(blockOf(init), 1, {2}, {2});
  for (Value init : op.getInitValues())
    use(init);
  SmallVector<ReduceStage, 1> stages = {reduceStage(op, shape, 0, inputs.size())};
  // Results whose accumulators do not fit the registers together have loops of their own.
  if (size_t most = resultsAtOnce(stages.front());
      most < inputs.size() && !combinersOf(op.getBody().front()).empty()) {
    stages.clear();
    for (size_t first = 0; first < inputs.size(); first += most)
      stages.push_back(reduceStage(op, shape, first, std::min(most, inputs.size() - first)));
  }
  auto addFirst = [&] {
    for (const ReduceStage &stage : stages)
      add(costOf(stage, model));
  };
  if (steps.hasSecond())
    addFirst();
  for (Value result : op.getResults())
    if (tensors.outputs.contains(result) || isInside(result))
      define(result);
  for (size_t number = 0; number < chunks.size(); ++number) {
    if (number > 0 && steps.hasSecond())
      addFirst();
    if (steps.hasSecond())
      for (const ReduceStage &stage : stages)
        add(costOf(secondStage(stage, steps, shape), model));
    else
      addFirst();
    if (isCombined)
      for (auto [number, result] : llvm::enumerate(op.getResults())) {
        OpCost combiner = combinerCost(op.getBody().front(), number, 1);
        use(result);
        estimateElements(blockOf(result), 2, combiner.all + Arithmetic{2},
                         combiner.chain + Arithmetic{1});
      }
  }
}

/// The first step of some results of a reduction, on a chunk.
ReduceStage StageEstimator::reduceStage(stablehlo::ReduceOp op, ArrayRef<int64_t> shape,
                                        size_t first, size_t count) {
  ReduceSteps steps = reduceSteps(op, shape);
  SmallVector<Value> inputs(op.getInputs().slice(first, count));
  ReduceStage stage;
  stage.sizes.assign(shape.begin(), shape.end());
  collect(inputs, stage);
  for (const Cut &cut : blocking.cuts) { // what is behind the last chunk is masked
    if (!llvm::is_contained(cut.map->accumulating, op) || cut.size % cut.blockSize == 0)
      continue;
    int64_t dim = *cut.dimOf(inputs.front());
    if (!llvm::is_contained(stage.pinned, dim))
      stage.pinned.push_back(dim);
    stage.body.all = stage.body.all + Arithmetic{2 + int(count)};
    stage.body.chain = stage.body.chain + Arithmetic{1};
  }
  takePlaces(stage, steps);
  stage.dims.assign(steps.first.begin(), steps.first.end());
  stage.partials = steps.firstPartials;
  stage.hasInits = !steps.hasSecond();
  stage.combiner = combinerCost(op.getBody().front(), first, count);
  stage.hasUnit = hasLaneReduction(op);
  for (Value result : op.getResults().slice(first, count))
    stage.outputs.push_back(typeOf(result).getElementType());
  return stage;
}

int64_t StageEstimator::freeBytes() const {
  return model.vmemBytes() - StepBytes(group.operations, tensors, precision).footprint(blocking);
}

void StageEstimator::measureProducts(AheadRequest &request) const {
  auto bytes = [&](Value value) {
    return blockBytes(blocking.blockShape(value), typeOf(value).getElementType());
  };
  for (const GroupCosts::Member &member : group.members) {
    if (member.kind != OpKind::Dot && member.kind != OpKind::Convolution)
      continue;
    for (Value operand : member.op->getOperands())
      if (isInside(operand))
        request.operandBytes += bytes(operand);
    if (!isOperand(member.op->getResult(0)))
      request.resultBytes += bytes(member.op->getResult(0));
  }
  request.freeBytes = freeBytes();
}

void StageEstimator::estimateSums(Operation *op, bool onePass,
                                  llvm::function_ref<void(bool rounds, bool accumulates)> product) {
  Value result = op->getResult(0);
  Type element = typeOf(result).getElementType();
  if (blocking.chunksOf(op)) {
    define(result);
    estimateElements(blockOf(result), 1, {2}, {2});
    use(result);
    return product(false, true);
  }
  Type sum = isa<FloatType>(element) ? Type(Float32Type::get(op->getContext()))
                                     : Type(IntegerType::get(op->getContext(), 32));
  VmemBlock out = blockOf(result);
  bool isWide = sum == element;
  bool rounds = !isWide && isa<FloatType>(element) && onePass && out.hasRowsOf({out.shape, sum});
  define(result);
  product(rounds, false);
  if (!isWide && !rounds) {
    use(result);
    estimateElements(blockOf(result), 1, {0, 0, 1}, {0, 0, 1});
  }
}

void StageEstimator::divide(OpOperand &lhs, const ProductStage &stage) {
  OperandBlocks operand{lhs.get()};
  if (blocking.hasOwnBlock(lhs))
    operand.ownUse = &lhs;
  while (Value source = views.lookup(operand.value))
    operand.value = source;
  RankedTensorType type = typeOf(operand.value);
  bool isUsed = llvm::any_of(operands, [&](auto &entry) { return entry.first == operand; });
  if (isUsed || isInside(operand.value) || !isGrid || blocking.isCut(operand) ||
      blocking.isResident(operand.value))
    return;
  const BlockTransfer transfer = gridOperandOf(operand, blocking).transfer;
  double copyCycles =
      model.channel(double(transfer.chunkBytes), double(transfer.chunks * transfer.dmas));
  Pieces best = bestPieces(
      stage, copyCycles, startCycles(model),
      [&](int64_t count) { return kernel::isDivisible(type, count); }, model);
  if (best.count > 1)
    divided.emplace_back(operand, best);
}

void StageEstimator::estimateDot(stablehlo::DotGeneralOp op) {
  int asked = passesOf(op), passes = asked ? asked : precision;
  SmallVector<OpOperand *, 2> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(&productSource(operand, [&](Operation *producer) {
      return !isInside(producer->getResult(0)) || tensors.outputs.contains(producer->getResult(0));
    }));
  auto partOf = [&](OpOperand &operand) {
    return VmemBlock(blocking.blockShape(operand), typeOf(operand.get()).getElementType());
  };
  VmemBlock lhs = partOf(*operands[0]), rhs = partOf(*operands[1]), out = blockOf(op.getResult());
  if (llvm::is_contained(lhs.shape, 0) || llvm::is_contained(rhs.shape, 0)) {
    define(op.getResult());
    return estimateElements(out, 0, {}, {});
  }
  const Cut *chunks = blocking.chunksOf(op);
  for (OpOperand *operand : operands) {
    VmemBlock part = require(*operand);
    // Elements behind the end of the last chunk are masked.
    if (chunks && chunks->size % chunks->blockSize != 0) {
      use(*operand);
      estimateElements(part, 1, {4}, {3}, /*pinsAll=*/true);
    }
  }
  ProductStage stage;
  // Sums have 32 bits.
  VmemBlock sums(out.shape, nullptr);
  stage.shape = shapeOfProduct(lhs, rhs, sums,
                               op.getRhsContractingDims().front() ==
                                   static_cast<int64_t>(out.shape.size()) - 1);
  stage.lhs = lhs.element;
  stage.rhs = rhs.element;
  stage.lhsRows = lhs.logicalRows();
  stage.rhsRows = rhs.logicalRows();
  stage.outRows = sums.logicalRows();
  stage.passes = passes;
  if (!isOnePass(op, passes))
    stage.freeBytes = freeBytes();
  estimateSums(op, isOnePass(op, passes), [&](bool rounds, bool accumulates) {
    stage.rounds = rounds;
    stage.accumulates = accumulates;
    if (stage.passes == 1 && lhs.shape.size() == 2)
      divide(*operands[0], stage);
    for (OpOperand *operand : operands)
      use(*operand);
    add(costOf(stage, model));
  });
}

} // namespace systole
