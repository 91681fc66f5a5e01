// Element-wise operations that become one stage (compiler/Tiling/StageMap.cpp and
// StageExpression.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/StageEstimator.h"

#include "compiler/Planning/Halos.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

void StageEstimator::collect(ArrayRef<Value> values, MapStage &stage) {
  const Expressions &found = group.expressionsOf(values, defined);
  stage.body = found.body;
  stage.pinned = found.pinned;
  SmallVector<const ExpressionAccess *> shared;
  for (const auto &[access, operand] : found.leaves) {
    const auto &[value, map] = access;
    bool isOwn = operand && blocking.hasOwnBlock(*operand);
    if (!isOwn && llvm::any_of(shared, [&](auto *other) { return *other == access; }))
      continue;
    StageInput input;
    input.block = isOwn ? VmemBlock(blocking.blockShape(*operand), typeOf(value).getElementType())
                        : blockOf(value);
    for (int64_t dim : map)
      input.indices.push_back({dim});
    Value root = value;
    while (Value source = views.lookup(root))
      root = source;
    input.hasHalves =
        isOwn ? isGrid && blocking.isCut(*operand) && blocking.buffersOf({value, operand}) > 1
              : hasHalves(root);
    input.isReplicated = !isOwn && group.tensors.isReplicated(root);
    stage.inputs.push_back(std::move(input));
    if (isOwn) {
      use(value, operand);
    } else {
      use(value);
      shared.push_back(&access);
    }
  }
}

void StageEstimator::estimateMap(Value value) {
  MapStage stage;
  SmallVector<int64_t> shape = blocking.blockShape(value);
  stage.sizes.assign(shape.begin(), shape.end());
  collect(value, stage);
  stage.outputs.push_back(typeOf(value).getElementType());
  stage.outputHalves += hasHalves(value) && !blocking.hasHalo(value);
  if (edgeOf(value, blocking))
    for (const Cut *cut : cutsBeyondEnds(value, blocking)) {
      int64_t dim = cut->haloOf(value)->dim;
      stage.body.all = stage.body.all + Arithmetic{5};
      stage.body.chain = stage.body.chain + Arithmetic{1};
      if (!llvm::is_contained(stage.pinned, dim))
        stage.pinned.push_back(dim);
    }
  // What leaves the kernel is copied out of a buffer with a halo.
  if (blocking.hasHalo(value))
    addBuffer(value);
  else
    define(value);
  add(costOf(stage, model));
}

void StageEstimator::estimateResults(ArrayRef<Value> values) {
  MapStage stage;
  SmallVector<int64_t> shape = blocking.resultShape(values.front());
  stage.sizes.assign(shape.begin(), shape.end());
  collect(values, stage);
  for (Value value : values) {
    stage.outputs.push_back(typeOf(value).getElementType());
    stage.outputHalves += isGrid && blocking.isCut(value) && blocking.buffersOf({value}) > 1;
    record({value});
    addBuffer(value);
  }
  add(costOf(stage, model));
}

void StageEstimator::estimateSelect(const VmemBlock &block, ArrayRef<int64_t> dims) {
  MapStage stage;
  stage.sizes = block.shape;
  StageInput input;
  input.block = block;
  for (size_t d = 0; d < block.shape.size(); ++d)
    input.indices.push_back({static_cast<int64_t>(d)});
  stage.inputs.push_back(input);
  stage.outputs.push_back(block.element);
  stage.pinned.assign(dims.begin(), dims.end());
  stage.body.all = Arithmetic{4 * int(dims.size()) + 1};
  stage.body.chain = Arithmetic{4};
  add(costOf(stage, model));
}

void StageEstimator::estimateElements(const VmemBlock &block, int inputs, const Arithmetic &all,
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
