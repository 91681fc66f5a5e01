// Convolves blocks of neighbouring positions whose features fill the lanes together.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Convolutions.h"
#include "compiler/Graph/DepthBlocks.h"
#include "compiler/Graph/Expand/Tensors.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPACETODEPTH
#include "compiler/Graph/Passes.h.inc"

using namespace stablehlo;
using namespace expansion;

//===----------------------------------------------------------------------===//
// Weights of blocks
//===----------------------------------------------------------------------===//

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

std::optional<DepthBlocks> DepthBlocks::of(ConvolutionOp op) {
  auto values = op->getAttrOfType<DenseI64ArrayAttr>(kDepthBlocksAttr);
  return values && values.size() == 3 ? std::optional(DepthBlocks{values[0], values[1], values[2]})
                                      : std::nullopt;
}

void DepthBlocks::mark(ConvolutionOp op) const {
  op->setAttr(kDepthBlocksAttr,
              DenseI64ArrayAttr::get(op.getContext(), ArrayRef<int64_t>{block, window, low}));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// A convolution in the form with positions.
class BlockedConvolution {
public:
  explicit BlockedConvolution(ConvolutionOp op) : op(op), t(op), window(op.getWindow()) {}

  void run() {
    if (!isCandidate() || !pays())
      return;
    op.replaceAllUsesWith(
        t.reshape(convolve(t.reshape(op.getLhs(), inBlocks(op.getLhs())), weights()),
                  shapeOf(op.getResult())));
    op.erase();
  }

private:
  /// Whether rows of the image and of the result have the same number of whole positions, by their
  /// shapes alone, along the last spatial dimension.
  bool isCandidate() {
    if (window.empty() || op.getFeatureGroupCount() != 1 ||
        formOf(op) != ConvolutionForm::Positions || op.getType().getNumElements() == 0)
      return false;
    const ConvolutionOp::Window &last = window.back();
    if (last.stride != 1 || last.lhsDilation != 1 || last.rhsDilation != 1)
      return false;
    blocks = {tileOf(op.getLhs()), last.size, last.low};
    return blocks.block > 1 && blocks.block == tileOf(op.getResult());
  }

  /// The row tile of an array whose features lie along the lanes.
  static int64_t tileOf(Value value) { return entryTile(shapeOf(value)); }

  /// Whether the matrix unit has less to do: pushes of rows, of at least 128 for each latch.
  bool pays() {
    int64_t others = 1, sums = 0;
    for (const ConvolutionOp::Window &dim : ArrayRef(window).drop_back())
      others *= dim.size;
    for (int64_t tap = 0; tap < blocks.taps(); ++tap)
      sums += blocks.weightsOf(tap).size();
    auto rows = op.getType().getNumElements() / shapeOf(op.getResult()).back();
    auto cycles = [&](int64_t products, int64_t rows) {
      return others * products * std::max(rows, kLanes);
    };
    // Kernels fold what fits into the lanes (LaneFold.h).
    int64_t folded = llvm::divideCeil(window.back().size, blocks.block);
    return cycles(sums, rows / blocks.block) < cycles(folded, rows);
  }

  SmallVector<int64_t> inBlocks(Value value) const {
    SmallVector<int64_t> shape(shapeOf(value));
    shape[shape.size() - 2] /= blocks.block;
    shape.back() *= blocks.block;
    return shape;
  }

  /// [window.., i, o] -> [window.., blocks, (block, i), (block, o)].
  Value weights() {
    Value kernel = op.getRhs();
    const auto spatial = static_cast<int64_t>(window.size());
    SmallVector<int64_t> reversed;
    for (auto [d, dim] : llvm::enumerate(window))
      if (dim.reversed)
        reversed.push_back(d);
    if (!reversed.empty())
      kernel = ReverseOp::create(t.b, t.loc, kernel, reversed);
    if (isKernelTransposed(op)) {
      SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(spatial + 2));
      std::swap(order[spatial], order[spatial + 1]);
      kernel = t.transpose(kernel, order);
    }
    SmallVector<int64_t> shape(shapeOf(kernel)), low(shape.size()), high(shape.size()),
        none(shape.size());
    SmallVector<Value> parts;
    shape[spatial - 1] = blocks.taps();
    shape[spatial] *= blocks.block;
    Value zero = t.number(typeOf(kernel).getElementType(), 0);
    for (int64_t out = 0; out < blocks.block; ++out) {
      low[spatial - 1] = out - blocks.low + blocks.before() * blocks.block;
      high[spatial - 1] = blocks.taps() * blocks.block - blocks.window - low[spatial - 1];
      parts.push_back(t.reshape(t.pad(kernel, zero, low, high, none), shape));
    }
    return t.concatenate(parts, spatial + 1);
  }

  Value convolve(Value image, Value kernel) {
    const auto spatial = static_cast<int64_t>(window.size());
    SmallVector<int64_t> shape = inBlocks(op.getResult()), padding, strides, lhsDilation,
                         rhsDilation;
    for (const ConvolutionOp::Window &dim : ArrayRef(window).drop_back()) {
      padding.append({dim.low, dim.high});
      strides.push_back(dim.stride);
      lhsDilation.push_back(dim.lhsDilation);
      rhsDilation.push_back(dim.rhsDilation);
    }
    const int64_t seen = shape[spatial] + blocks.taps() - 1;
    padding.append({blocks.before(), seen - shapeOf(image)[spatial] - blocks.before()});
    strides.push_back(1);
    lhsDilation.push_back(1);
    rhsDilation.push_back(1);
    SmallVector<int64_t> places = llvm::to_vector(llvm::seq<int64_t>(1, spatial + 1)),
                         taps = llvm::to_vector(llvm::seq<int64_t>(0, spatial));
    auto numbers = ConvDimensionNumbersAttr::get(t.b.getContext(), 0, spatial + 1, places, spatial,
                                                 spatial + 1, taps, 0, spatial + 1, places);
    auto paddingType = RankedTensorType::get({spatial, 2}, t.b.getI64Type());
    auto convolution = ConvolutionOp::create(
        t.b, t.loc, op.getType().clone(shape), image, kernel, t.b.getDenseI64ArrayAttr(strides),
        DenseIntElementsAttr::get(paddingType, padding), t.b.getDenseI64ArrayAttr(lhsDilation),
        t.b.getDenseI64ArrayAttr(rhsDilation), DenseBoolArrayAttr(), numbers, 1, 1,
        op.getPrecisionConfigAttr());
    blocks.mark(convolution);
    return convolution;
  }

  ConvolutionOp op;
  Tensors t;
  SmallVector<ConvolutionOp::Window> window;
  DepthBlocks blocks;
};

struct SpaceToDepth : impl::SpaceToDepthBase<SpaceToDepth> {
  void rewrite() override {
    getOperation().walk([](ConvolutionOp op) { BlockedConvolution(op).run(); });
  }
};

} // namespace
} // namespace systole
