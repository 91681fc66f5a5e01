// Convolutions on blocks of neighbouring positions: which weights are elements of the window.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/DepthBlocks.h"

#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Attributes.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

using stablehlo::ConvolutionOp;

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

SmallVector<DepthBlocks::Part> DepthBlocks::parts() const {
  SmallVector<Part> parts;
  for (int64_t tap = 0, end = taps(); tap < end; ++tap)
    for (const Weights &weights : weightsOf(tap)) {
      Part *known = llvm::find_if(parts, [&](const Part &part) {
        return part.firstTap + part.taps == tap && part.weights == weights;
      });
      if (known != parts.end())
        ++known->taps;
      else
        parts.push_back({tap, 1, weights});
    }
  auto isForAll = [&](const Part &part) {
    return part.weights.outFirst == 0 && part.weights.outEnd == block;
  };
  llvm::stable_sort(parts,
                    [&](const Part &a, const Part &b) { return isForAll(a) && !isForAll(b); });
  if (parts.empty() || !isForAll(parts.front()))
    return {};
  return parts;
}

std::optional<DepthBlocks> DepthBlocks::of(ConvolutionOp op) {
  auto values = op->getAttrOfType<DenseI64ArrayAttr>(kernel::kDepthBlocksAttr);
  SmallVector<ConvolutionOp::Window> window = op.getWindow();
  if (!values || values.size() != 3 || window.empty() || op.getFeatureGroupCount() != 1 ||
      formOf(op) != ConvolutionForm::Positions || isKernelTransposed(op))
    return std::nullopt;
  DepthBlocks blocks{values[0], values[1], values[2]};
  auto hasWholeBlocks = [&](Value value) {
    int64_t features = shapeOf(value).back();
    return features <= kLanes && features % blocks.block == 0;
  };
  // The attribute is ignored where it cannot be of this convolution.
  const ConvolutionOp::Window &last = window.back();
  bool fits = blocks.block > 1 && blocks.block <= kLanes && blocks.window > 0 && blocks.low >= 0 &&
              blocks.window <= blocks.block * last.size && blocks.low <= blocks.window &&
              blocks.taps() == last.size && hasWholeBlocks(op.getLhs()) &&
              hasWholeBlocks(op.getResult()) && last.stride == 1 && last.lhsDilation == 1 &&
              last.rhsDilation == 1 && !last.reversed && !blocks.parts().empty();
  return fits ? std::optional(blocks) : std::nullopt;
}

void DepthBlocks::mark(ConvolutionOp op) const {
  op->setAttr(kernel::kDepthBlocksAttr,
              DenseI64ArrayAttr::get(op.getContext(), ArrayRef<int64_t>{block, window, low}));
}

} // namespace systole
