// Convolutions on blocks of neighbouring positions: which weights are elements of the window.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/DepthBlocks.h"

#include "compiler/Graph/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

using stablehlo::ConvolutionOp;

static constexpr StringLiteral kDepthBlocksAttr = "kernel.depth_blocks";

int64_t DepthBlocks::before() const { return llvm::divideCeil(low, block); }

int64_t DepthBlocks::taps() const {
  return before() + llvm::divideFloorSigned(block + window - 2 - low, block) + 1;
}

SmallVector<DepthBlocks::Weights, 2> DepthBlocks::weightsOf(int64_t tap) const {
  SmallVector<Weights, 2> weights;
  for (int64_t out = 0; out < block; ++out) {
    // Element e of its window is position out - low + e, from the first of its own block.
    int64_t first = out - low - (tap - before()) * block;
    int64_t begin = std::max<int64_t>(first, 0), end = std::min(first + window, block);
    if (begin >= end)
      continue;
    if (!weights.empty() && weights.back().outEnd == out && weights.back().inFirst == begin &&
        weights.back().inEnd == end)
      ++weights.back().outEnd;
    else
      weights.push_back({begin, end, out, out + 1});
  }
  return weights;
}

bool DepthBlocks::hasCommonTap() const {
  return llvm::any_of(llvm::seq(taps()), [&](int64_t tap) {
    return llvm::any_of(weightsOf(tap), [&](const Weights &weights) {
      return weights.outFirst == 0 && weights.outEnd == block;
    });
  });
}

std::optional<DepthBlocks> DepthBlocks::of(ConvolutionOp op) {
  auto values = op->getAttrOfType<DenseI64ArrayAttr>(kDepthBlocksAttr);
  SmallVector<ConvolutionOp::Window> window = op.getWindow();
  if (!values || values.size() != 3 || window.empty() || op.getFeatureGroupCount() != 1)
    return std::nullopt;
  DepthBlocks blocks{values[0], values[1], values[2]};
  // Products with zeros are added where the attribute is of another convolution.
  auto fits = [&](Value value) {
    int64_t features = shapeOf(value).back();
    return features <= kLanes && features % blocks.block == 0;
  };
  const ConvolutionOp::Window &last = window.back();
  bool isOwn = blocks.block > 0 && blocks.block <= kLanes && blocks.window > 0 &&
               blocks.window <= blocks.block * last.size && blocks.low >= 0 &&
               blocks.low <= blocks.window && blocks.taps() == last.size && fits(op.getLhs()) &&
               fits(op.getResult()) && last.lhsDilation == 1 && blocks.hasCommonTap();
  return isOwn ? std::optional(blocks) : std::nullopt;
}

void DepthBlocks::mark(ConvolutionOp op) const {
  op->setAttr(kDepthBlocksAttr,
              DenseI64ArrayAttr::get(op.getContext(), ArrayRef<int64_t>{block, window, low}));
}

} // namespace systole
