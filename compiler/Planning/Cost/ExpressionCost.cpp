// Element-wise operations that become one stage (compiler/Tiling/StageMap.cpp and
// StageExpression.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/StageEstimator.h"

#include "compiler/Graph/TensorTypes.h"

using namespace mlir;

namespace systole {

void StageEstimator::collect(ArrayRef<Value> values, MapStage &stage) {
  const Expressions &found = group.expressionsOf(values, defined);
  stage.body = found.body;
  stage.pinned = found.pinned;
  for (const auto &[value, map] : found.leaves) {
    StageInput input;
    input.block = blockOf(value);
    for (int64_t dim : map)
      input.indices.push_back({dim});
    Value root = value;
    while (Value source = views.lookup(root))
      root = source;
    input.hasHalves = hasHalves(root);
    stage.inputs.push_back(std::move(input));
    use(value);
  }
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
