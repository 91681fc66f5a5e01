// Convolves blocks of neighbouring positions whose features fill the lanes together.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/DepthBlocks.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPACETODEPTH
#include "compiler/Graph/Passes.h.inc"

using namespace stablehlo;
using namespace expansion;

namespace {

/// A convolution in the form with positions, or the gradient of the filter of one.
class BlockedConvolution {
public:
  explicit BlockedConvolution(ConvolutionOp op) : op(op), t(op), window(op.getWindow()) {}

  void run() {
    if (!isCandidate() || !pays())
      return;
    Value image = inBlocks(op.getLhs());
    op.replaceAllUsesWith(isGradient
                              ? sumOfBlocks(convolve(image, inBlocks(op.getRhs()), sums()))
                              : t.reshape(convolve(image, weights(), shapeInBlocks(op.getResult())),
                                          shapeOf(op.getResult())));
    op.erase();
  }

private:
  /// Whether rows of the image and of the result, or of its gradient, have the same number of whole
  /// positions, by their shapes alone, along the last spatial dimension.
  bool isCandidate() {
    std::optional<ConvolutionForm> form = formOf(op);
    isGradient = form == ConvolutionForm::Filter;
    if (window.empty() || op.getFeatureGroupCount() != 1 || op.getType().getNumElements() == 0 ||
        (form != ConvolutionForm::Positions && !isGradient))
      return false;
    const ConvolutionOp::Window &last = window.back();
    if (last.stride != 1 || last.lhsDilation != 1 || last.rhsDilation != 1)
      return false;
    const auto spatial = static_cast<int64_t>(window.size());
    blocks = {tileOf(op.getLhs()), isGradient ? op.getType().getDimSize(spatial - 1) : last.size,
              last.low};
    return blocks.block > 1 && blocks.block == tileOf(isGradient ? op.getRhs() : op.getResult()) &&
           blocks.low <= blocks.window && (isGradient || !blocks.parts().empty());
  }

  /// The row tile of an array whose features lie along the lanes.
  static int64_t tileOf(Value value) { return entryTile(shapeOf(value)); }

  /// Whether the matrix unit has less to do: pushes of rows, of at least 128 for each latch.
  /// Weights that would be split are left as they are: their parts would not be those of whole
  /// blocks.
  bool pays() {
    int64_t products = 0;
    for (int64_t tap = 0; tap < blocks.taps(); ++tap)
      products += isGradient ? 1 : static_cast<int64_t>(blocks.weightsOf(tap).size());
    Value positions = isGradient ? op.getRhs() : op.getResult();
    auto rows = typeOf(positions).getNumElements() / shapeOf(positions).back();
    int64_t bytes =
        blocks.taps() * kLanes * kLanes * typeOf(op.getRhs()).getElementTypeBitWidth() / 8;
    for (const ConvolutionOp::Window &dim : ArrayRef(window).drop_back())
      bytes *= dim.size;
    if (!isGradient && bytes > kMostWeightBytes)
      return false;
    // Kernels fold what fits into the lanes (LaneFold.h).
    int64_t folded = llvm::divideCeil(blocks.window, blocks.block);
    return products * std::max(rows / blocks.block, kLanes) < folded * std::max(rows, kLanes);
  }

  SmallVector<int64_t> shapeInBlocks(Value value) {
    SmallVector<int64_t> shape(shapeOf(value));
    shape[shape.size() - 2] /= blocks.block;
    shape.back() *= blocks.block;
    return shape;
  }
  Value inBlocks(Value value) { return t.reshape(value, shapeInBlocks(value)); }

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
      low[spatial - 1] = firstFor(out);
      high[spatial - 1] = blocks.taps() * blocks.block - blocks.window - low[spatial - 1];
      parts.push_back(t.reshape(t.pad(kernel, zero, low, high, none), shape));
    }
    return t.concatenate(parts, spatial + 1);
  }

  /// The place of the first element of the window of position `out` among those of all blocks.
  int64_t firstFor(int64_t out) const { return out - blocks.low + blocks.before() * blocks.block; }

  /// The gradient for all blocks: [window.., blocks, (block, o), (block, i)].
  SmallVector<int64_t> sums() {
    SmallVector<int64_t> shape(shapeOf(op.getResult()));
    shape[window.size() - 1] = blocks.taps();
    shape[window.size()] *= blocks.block;
    shape[window.size() + 1] *= blocks.block;
    return shape;
  }
  /// The sum of the gradients for each position of a block.
  Value sumOfBlocks(Value all) {
    const auto spatial = static_cast<int64_t>(window.size());
    SmallVector<int64_t> shape(shapeOf(op.getResult())), apart(shape), order, joined(shape);
    const int64_t inputs = shape.back(), outputs = shape[spatial];
    apart[spatial - 1] = blocks.taps();
    apart.resize(spatial);
    apart.append({outputs, blocks.block, inputs});
    for (int64_t d = 0; d < spatial; ++d)
      order.push_back(d);
    order.append({spatial + 1, spatial, spatial + 2});
    joined[spatial - 1] = blocks.taps() * blocks.block;
    Value sum;
    for (int64_t out = 0; out < blocks.block; ++out) {
      Value own = t.slice(all, spatial, out * outputs, outputs);
      own = t.reshape(t.transpose(t.reshape(own, apart), order), joined);
      own = t.slice(own, spatial - 1, firstFor(out), blocks.window);
      sum = sum ? t.apply<AddOp>(sum, own) : own;
    }
    return sum;
  }

  Value convolve(Value image, Value kernel, ArrayRef<int64_t> shape) {
    const auto spatial = static_cast<int64_t>(window.size());
    SmallVector<int64_t> padding, strides, lhsDilation, rhsDilation;
    for (const ConvolutionOp::Window &dim : ArrayRef(window).drop_back()) {
      padding.append({dim.low, dim.high});
      strides.push_back(dim.stride);
      lhsDilation.push_back(dim.lhsDilation);
      rhsDilation.push_back(dim.rhsDilation);
    }
    // Blocks that windows see, from the first to the last one.
    const int64_t positions = isGradient ? shapeOf(kernel)[spatial] : shape[spatial],
                  seen = positions + blocks.taps() - 1;
    padding.append({blocks.before(), seen - shapeOf(image)[spatial] - blocks.before()});
    strides.push_back(1);
    lhsDilation.push_back(1);
    rhsDilation.push_back(1);
    auto paddingType = RankedTensorType::get({spatial, 2}, t.b.getI64Type());
    auto convolution = ConvolutionOp::create(
        t.b, t.loc, op.getType().clone(shape), image, kernel, t.b.getDenseI64ArrayAttr(strides),
        DenseIntElementsAttr::get(paddingType, padding), t.b.getDenseI64ArrayAttr(lhsDilation),
        t.b.getDenseI64ArrayAttr(rhsDilation), DenseBoolArrayAttr(),
        isGradient ? op.getDimensionNumbers() : numbersOfPositions(t.b.getContext(), spatial), 1, 1,
        op.getPrecisionConfigAttr());
    if (!isGradient)
      blocks.mark(convolution);
    return convolution;
  }

  ConvolutionOp op;
  Tensors t;
  SmallVector<ConvolutionOp::Window> window;
  bool isGradient = false;
  DepthBlocks blocks;
};

struct SpaceToDepth : impl::SpaceToDepthBase<SpaceToDepth> {
  void rewrite() override {
    getOperation().walk([](ConvolutionOp op) { BlockedConvolution(op).run(); });
  }
};

} // namespace
} // namespace systole
