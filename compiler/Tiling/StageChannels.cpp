// Convolutions of features by themselves as stages: products and sums on the vector unit.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/ConvolutionPlan.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

namespace {

/// The indices of box `sizes`, the last one fastest.
SmallVector<SmallVector<int64_t>> indicesOf(ArrayRef<int64_t> sizes) {
  SmallVector<SmallVector<int64_t>> all(1);
  for (int64_t size : sizes) {
    SmallVector<SmallVector<int64_t>> longer;
    for (const SmallVector<int64_t> &begin : all)
      for (int64_t i = 0; i < size; ++i) {
        longer.push_back(begin);
        longer.back().push_back(i);
      }
    all = std::move(longer);
  }
  return all;
}

/// `taps` in parts of equal size, or nearly.
SmallVector<ArrayRef<SmallVector<int64_t>>> partsOf(ArrayRef<SmallVector<int64_t>> taps) {
  int64_t count = llvm::divideCeil(taps.size(), kTapsPerStage), first = 0;
  SmallVector<ArrayRef<SmallVector<int64_t>>> parts;
  for (int64_t number = 0; number < count; ++number) {
    int64_t end = static_cast<int64_t>(taps.size()) * (number + 1) / count;
    parts.push_back(taps.slice(first, end - first));
    first = end;
  }
  return parts;
}

Type elementOf(Value buffer) { return cast<kernel::BufferType>(buffer.getType()).getElementType(); }

/// The type in which products of `element` are added.
Type sumTypeOf(Type element) {
  MLIRContext *context = element.getContext();
  if (isa<FloatType>(element))
    return Float32Type::get(context);
  return IntegerType::get(context, 32);
}

/// Elements of stages' bodies.
struct Elements {
  OpBuilder &b;
  Location loc;

  Value convert(Value value, Type element) const {
    auto type = RankedTensorType::get({}, element);
    return value.getType() == type ? value
                                   : stablehlo::ConvertOp::create(b, loc, type, value).getResult();
  }
  Value product(Value x, Value y, Type element) const {
    return stablehlo::MulOp::create(b, loc, convert(x, element), convert(y, element));
  }
  /// A block with an argument for an element of each of `buffers`.
  Block &body(Region &region, ValueRange buffers) const {
    Block &block = region.emplaceBlock();
    for (Value buffer : buffers)
      block.addArgument(RankedTensorType::get({}, elementOf(buffer)), loc);
    b.setInsertionPointToEnd(&block);
    return block;
  }
};

} // namespace

/// Each stage adds some taps to the sums: windows of the image times a row of weights.
void StageBuilder::emitChannels(stablehlo::ConvolutionOp op) {
  Location loc = op.getLoc();
  Value image = paddedImage(op), kernel = buffer(op->getOpOperand(1));
  Value result = destination(op.getResult());
  Type element = elementOf(result), sum = sumTypeOf(element);
  Elements elements{b, loc};
  SmallVector<SmallVector<WindowPhase>> phases = phasesOf(op, blocking);
  for (const SmallVector<WindowPhase> &phase : phases) {
    SmallVector<int64_t> shape = {shapeOf(op.getResult()).front()}, sizes;
    for (const WindowPhase &dim : phase) {
      shape.push_back(dim.out.count);
      sizes.push_back(dim.tap.count);
    }
    shape.push_back(shapeOf(op.getResult()).back());
    int64_t rank = shape.size();
    auto map = [&](ArrayRef<AffineExpr> indices) {
      return AffineMap::get(rank, 0, indices, b.getContext());
    };
    Value target =
        phases.size() == 1 ? result : kernel::AllocOp::create(b, loc, bufferType(shape, element));
    Value sums = element == sum ? target : Value();
    SmallVector<SmallVector<int64_t>> taps = indicesOf(sizes);
    SmallVector<ArrayRef<SmallVector<int64_t>>> parts = partsOf(taps);
    if (parts.empty())
      emitElements(b, loc, {}, target, [&](ValueRange) { return zeroElement(b, loc, element); });
    if (!sums && parts.size() > 1)
      sums = kernel::AllocOp::create(b, loc, bufferType(shape, sum));
    for (auto [number, part] : llvm::enumerate(parts)) {
      SmallVector<Value> inputs;
      SmallVector<AffineMap> maps;
      for (ArrayRef<int64_t> tap : part) {
        SmallVector<AffineExpr> ofImage = {b.getAffineDimExpr(0)}, ofKernel;
        for (auto [d, dim, i] : llvm::enumerate(phase, tap)) {
          ofImage.push_back(b.getAffineDimExpr(d + 1) * dim.stride + i * dim.dilation + dim.image);
          ofKernel.push_back(dim.tap.at(b.getAffineConstantExpr(i)));
        }
        ofImage.push_back(b.getAffineDimExpr(rank - 1));
        ofKernel.append({b.getAffineConstantExpr(0), b.getAffineDimExpr(rank - 1)});
        inputs.append({image, kernel});
        maps.append({map(ofImage), map(ofKernel)});
      }
      if (number > 0) {
        inputs.push_back(sums);
        maps.push_back(b.getMultiDimIdentityMap(rank));
      }
      bool isLast = number + 1 == parts.size();
      Value output = isLast ? target : sums;
      auto stage = kernel::MapOp::create(b, loc, inputs, output, b.getAffineMapArrayAttr(maps));
      OpBuilder::InsertionGuard guard(b);
      Block &body = elements.body(stage.getBody(), inputs);
      Value total = number > 0 ? body.getArguments().back() : Value();
      for (size_t i = 0; i < part.size(); ++i) {
        Value product = elements.product(body.getArgument(2 * i), body.getArgument(2 * i + 1), sum);
        total = total ? stablehlo::AddOp::create(b, loc, total, product).getResult() : product;
      }
      kernel::YieldOp::create(b, loc, elements.convert(total, elementOf(output)));
    }
    if (target == result)
      continue;
    SmallVector<AffineExpr> place = {b.getAffineDimExpr(0)};
    for (auto [d, dim] : llvm::enumerate(phase))
      place.push_back(dim.out.at(b.getAffineDimExpr(d + 1)));
    place.push_back(b.getAffineDimExpr(rank - 1));
    emitCopy(loc, target, result, shape, b.getMultiDimIdentityMap(rank), map(place));
  }
}

/// Each stage sums for some taps what they see of the image times the gradient, over the batch
/// and all positions.
void StageBuilder::emitChannelFilter(stablehlo::ConvolutionOp op) {
  Location loc = op.getLoc();
  Value image = paddedImage(op), gradient = buffer(op->getOpOperand(1));
  Value result = destination(op.getResult());
  Type sum = elementOf(result);
  Elements elements{b, loc};
  SmallVector<stablehlo::ConvolutionOp::Window> window = op.getWindow();
  int64_t rank = window.size() + 2, last = rank - 1;

  // Eight positions along one dimension are a vector, those beyond its end left out.
  SmallVector<int64_t> shape = blocking.blockShape(op->getOpOperand(1));
  int64_t along = sublaneDimOf(op, blocking), extent = shape[along];
  shape[along] = llvm::alignTo(extent, 8);
  bool isRagged = shape[along] != extent;
  if (isRagged) {
    Value longer = kernel::AllocOp::create(b, loc, bufferType(shape, elementOf(gradient)));
    emitCopy(loc, gradient, longer, blocking.blockShape(op->getOpOperand(1)),
             b.getMultiDimIdentityMap(rank), b.getMultiDimIdentityMap(rank));
    gradient = longer;
  }
  // The space has that dimension before the features.
  SmallVector<int64_t> sizes, place(rank), reduced;
  for (int64_t d = 0; d < rank; ++d)
    if (d != along) {
      place[d] = d == last ? last : static_cast<int64_t>(reduced.size());
      if (d == last)
        continue;
      reduced.push_back(reduced.size());
      sizes.push_back(shape[d]);
    }
  place[along] = reduced.size();
  reduced.push_back(reduced.size());
  sizes.append({shape[along], shape[last]});
  auto index = [&](int64_t d) { return b.getAffineDimExpr(place[d]); };
  auto map = [&](ArrayRef<AffineExpr> indices) {
    return AffineMap::get(rank, 0, indices, b.getContext());
  };
  SmallVector<AffineExpr> ofGradient;
  for (int64_t d = 0; d < rank; ++d)
    ofGradient.push_back(index(d));

  Value zero = kernel::AllocOp::create(b, loc, bufferType({}, sum)),
        end = constantIndex(loc, extent);
  emitElements(b, loc, {}, zero, [&](ValueRange) { return zeroElement(b, loc, sum); });
  const Cut *chunks = blocking.chunksOf(op);
  Value sums = chunks ? kernel::AllocOp::create(b, loc, bufferType(op.getResult())) : result;
  SmallVector<int64_t> filter = shapeOf(op.getResult());
  SmallVector<SmallVector<int64_t>> taps = indicesOf(ArrayRef(filter).drop_back(2));
  for (ArrayRef<SmallVector<int64_t>> part : partsOf(taps)) {
    SmallVector<Value> inputs = {gradient}, outputs;
    SmallVector<AffineMap> maps = {map(ofGradient)};
    for (ArrayRef<int64_t> tap : part) {
      SmallVector<AffineExpr> ofImage = {index(0)};
      for (auto [d, dim, i] : llvm::enumerate(window, tap))
        ofImage.push_back(index(d + 1) * dim.rhsDilation + i * dim.stride);
      ofImage.push_back(index(last));
      inputs.push_back(image);
      maps.push_back(map(ofImage));
      outputs.push_back(kernel::AllocOp::create(b, loc, bufferType({shape[last]}, sum)));
    }
    SmallVector<Value> inits(outputs.size(), zero);
    auto stage = kernel::ReduceOp::create(b, loc, inputs, inits, outputs,
                                          b.getAffineMapArrayAttr(maps), sizes, reduced);
    {
      OpBuilder::InsertionGuard guard(b);
      Block &body = elements.body(stage.getBody(), inputs);
      Value exists = isRagged ? existsInChunk(loc, place[along], end) : Value();
      SmallVector<Value> values;
      for (Value seen : body.getArguments().drop_front()) {
        Value product = elements.product(seen, body.getArgument(0), sum);
        values.push_back(isRagged ? stablehlo::SelectOp::create(b, loc, exists, product,
                                                                zeroElement(b, loc, sum))
                                        .getResult()
                                  : product);
      }
      kernel::YieldOp::create(b, loc, values);
      SmallVector<Value> both(outputs);
      llvm::append_range(both, outputs);
      Block &combiner = elements.body(stage.getCombiner(), both);
      values.clear();
      for (size_t i = 0; i < outputs.size(); ++i)
        values.push_back(stablehlo::AddOp::create(b, loc, combiner.getArgument(i),
                                                  combiner.getArgument(outputs.size() + i)));
      kernel::YieldOp::create(b, loc, values);
    }
    for (auto [tap, output] : llvm::zip_equal(part, outputs)) {
      SmallVector<AffineExpr> to;
      for (int64_t i : tap)
        to.push_back(b.getAffineConstantExpr(i));
      to.append({b.getAffineConstantExpr(0), b.getAffineDimExpr(0)});
      emitCopy(loc, output, sums, shape[last], b.getMultiDimIdentityMap(1),
               AffineMap::get(1, 0, to, b.getContext()));
    }
  }
  if (!chunks)
    return;
  emitElements(b, loc, {result, sums}, result, [&](ValueRange arguments) -> Value {
    Value total = stablehlo::AddOp::create(b, loc, arguments[0], arguments[1]);
    return stablehlo::SelectOp::create(b, loc, isFirstOfChunks(op), arguments[1], total);
  });
}

} // namespace systole
