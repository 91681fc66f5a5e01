// Element-wise operations that become one stage (compiler/Tiling/StageMap.cpp and
// StageExpression.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/StageEstimator.h"

#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorTypes.h"

using namespace mlir;

namespace systole {

namespace {

/// A value, and for each of its dimensions the dimension of the stage's space, or -1.
using Access = std::pair<Value, SmallVector<int64_t, 4>>;

SmallVector<Access, 3> operandsOf(const Access &access) {
  const auto &[value, map] = access;
  Operation *op = value.getDefiningOp();
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    Access operand{broadcast.getOperand(), {}};
    for (auto [i, d] : llvm::enumerate(broadcast.getBroadcastDimensions()))
      operand.second.push_back(typeOf(broadcast.getOperand()).getDimSize(i) == 1 ? -1 : map[d]);
    return {operand};
  }
  if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op)) {
    // Only dimensions of size 1 come or go.
    SmallVector<int64_t, 4> kept;
    for (auto [d, size] : llvm::enumerate(typeOf(value).getShape()))
      if (size != 1)
        kept.push_back(map[d]);
    Access operand{reshape.getOperand(), {}};
    auto *next = kept.begin();
    for (int64_t size : typeOf(reshape.getOperand()).getShape())
      operand.second.push_back(size == 1 ? -1 : *next++);
    return {operand};
  }
  SmallVector<Access, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back({operand, map});
  return operands;
}

} // namespace

bool StageEstimator::wantsBuffer(Operation *op) const {
  if (kindOf(op) != OpKind::Elementwise)
    return false;
  Value result = op->getResult(0);
  int64_t elements = typeOf(result).getNumElements();
  int stagesReading = 0;
  bool others = false;
  for (Operation *user : result.getUsers()) {
    if (!inside.contains(user))
      continue;
    if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(user))
      if (typeOf(broadcast.getResult()).getNumElements() > elements)
        return true;
    bool reads = isExpression(user);
    others |= reads;
    stagesReading += !reads;
  }
  return stagesReading > 1 || (stagesReading == 1 && (others || tensors.outputs.contains(result)));
}

void StageEstimator::collect(ArrayRef<Value> values, MapStage &stage) {
  SmallVector<int64_t, 4> identity = llvm::to_vector<4>(llvm::seq<int64_t>(0, stage.sizes.size()));
  SmallVector<Access> worklist, leaves;
  llvm::DenseMap<Value, SmallVector<SmallVector<int64_t, 4>, 1>> visited;
  SmallVector<size_t> evaluated; // operations
  for (Value value : values)
    worklist.push_back({value, identity});
  while (!worklist.empty()) {
    Access access = worklist.pop_back_val();
    auto &maps = visited[access.first];
    if (llvm::is_contained(maps, access.second))
      continue;
    maps.push_back(access.second);
    if (buffers.contains(access.first) || !isInside(access.first)) {
      leaves.push_back(access);
      continue;
    }
    Operation *op = access.first.getDefiningOp();
    if (auto iota = dyn_cast<stablehlo::IotaOp>(op)) {
      int64_t dim = access.second[iota.getIotaDimension()];
      if (dim >= 0 && !llvm::is_contained(stage.pinned, dim))
        stage.pinned.push_back(dim);
      // The index, where the block begins, and its type.
      bool converts = !typeOf(iota.getResult()).getElementType().isInteger(32);
      stage.body.all = stage.body.all + Arithmetic{2, 0, converts};
    }
    evaluated.push_back(inside.lookup(op));
    OpCost cost = opCost(op);
    stage.body.all = stage.body.all + cost.all;
    stage.body.loop = stage.body.loop + cost.loop;
    stage.body.loopChain = stage.body.loopChain + cost.loopChain;
    stage.body.trips = std::max(stage.body.trips, cost.trips);
    llvm::append_range(worklist, operandsOf(access));
  }
  for (const auto &[value, map] : leaves) {
    StageInput input;
    input.block = blockOf(value);
    for (int64_t dim : map)
      input.indices.push_back({dim});
    Value root = value;
    while (Value source = views.lookup(root))
      root = source;
    input.hasHalves = hasHalves(root);
    stage.inputs.push_back(input);
    use(value);
  }
  // The longest chain, in program order.
  llvm::sort(evaluated);
  evaluated.erase(llvm::unique(evaluated), evaluated.end());
  llvm::DenseMap<Value, std::pair<double, Arithmetic>> chains;
  std::pair<double, Arithmetic> longest{0, {}};
  for (size_t number : evaluated) {
    Operation *op = ops[number];
    std::pair<double, Arithmetic> before{0, {}};
    for (Value operand : op->getOperands())
      if (auto it = chains.find(operand); it != chains.end() && it->second.first > before.first)
        before = it->second;
    Arithmetic chain = before.second + opCost(op).chain;
    std::pair<double, Arithmetic> after{model.arithmetic({}, chain).chain, chain};
    chains[op->getResult(0)] = after;
    if (after.first > longest.first)
      longest = after;
  }
  stage.body.chain = longest.second;
}

void StageEstimator::estimateMap(ArrayRef<Value> values) {
  MapStage stage;
  SmallVector<int64_t> shape = blocking.blockShape(values.front());
  stage.sizes.assign(shape.begin(), shape.end());
  collect(values, stage);
  for (Value value : values) {
    stage.outputs.push_back(typeOf(value).getElementType());
    stage.outputHalves += hasHalves(value);
    define(value);
  }
  add(costOf(stage, model));
}

void StageEstimator::estimateElements(const Block &block, int inputs, const Arithmetic &all,
                                      const Arithmetic &chain, bool pinsAll) {
  MapStage stage;
  stage.sizes = block.shape;
  StageInput input;
  input.block = block;
  for (size_t d = 0; d < block.shape.size(); ++d) {
    input.indices.push_back({static_cast<int64_t>(d)});
    if (pinsAll)
      stage.pinned.push_back(static_cast<int64_t>(d));
  }
  stage.inputs.append(inputs, input);
  stage.outputs.push_back(block.element);
  stage.body.all = all;
  stage.body.chain = chain;
  add(costOf(stage, model));
}

} // namespace systole
