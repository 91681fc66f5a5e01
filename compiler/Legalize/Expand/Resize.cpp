// Image resizing, for which PyTorch/XLA emits custom calls on TPUs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Tensor/Tensors.h"

using namespace mlir;
using namespace systole::stablehlo;

namespace systole::expansion {

namespace {

/// The target and the configuration of a call.
struct Resize {
  bool isBilinear, isGradient, alignsCorners, hasHalfPixels;
};

std::optional<Resize> resizeOf(CustomCallOp op) {
  StringRef target = op.getCallTargetName();
  Resize resize{};
  resize.isGradient = target.consume_back("Grad");
  resize.isBilinear = target == "ResizeBilinear";
  auto config = dyn_cast_or_null<StringAttr>(op.getBackendConfigAttr());
  // Two digits in quotes: align_corners and half_pixel_centers.
  StringRef digits = config ? config.getValue() : StringRef();
  digits.consume_front("\"");
  digits.consume_back("\"");
  if ((!resize.isBilinear && target != "ResizeNearest") || digits.size() != 2 ||
      digits.find_first_not_of("01") != StringRef::npos)
    return std::nullopt;
  resize.alignsCorners = digits[0] == '1';
  resize.hasHalfPixels = digits[1] == '1';
  return resize;
}

/// The weight of element `i` of `from` in element `o` of `to`, as f32[to, from].
Value weights(Tensors &t, const Resize &resize, int64_t from, int64_t to) {
  Type f32 = t.b.getF32Type();
  const int64_t shape[] = {to, from};
  const float scale =
      resize.alignsCorners && to > 1 ? float(from - 1) / float(to - 1) : float(from) / float(to);
  Value half = t.real(f32, resize.hasHalfPixels ? 0.5 : 0, shape);
  Value one = t.real(f32, 1, shape), zero = t.real(f32, 0, shape);
  Value source =
      t.apply<MulOp>(t.apply<AddOp>(t.iota(f32, shape, 0), half), t.real(f32, scale, shape));
  Value element = t.iota(f32, shape, 1);
  if (!resize.isBilinear) {
    Value nearest = resize.alignsCorners ? t.apply<RoundOp>(source) : t.apply<FloorOp>(source);
    nearest = t.apply<MinOp>(nearest, t.real(f32, double(from - 1), shape));
    return t.select(t.compare(ComparisonDirection::EQ, element, nearest), one, zero);
  }
  Value distance = t.apply<AbsOp>(t.apply<SubtractOp>(t.apply<AddOp>(element, half), source));
  Value weight = t.apply<MaxOp>(t.apply<SubtractOp>(one, distance), zero);
  // Normalizes weights at the edges, where a neighbour is missing.
  Value sum = t.reduce<AddOp>(weight, t.real(f32, 0), {1});
  return t.apply<DivOp>(weight, t.spread(sum, shape, {0}));
}

/// Resizes dimension 1 of an image [n, from, ...] to `to` and moves it to the end.
Value resizeFront(Tensors &t, const Resize &resize, Value image, int64_t to) {
  SmallVector<int64_t> shape(typeOf(image).getShape());
  const int64_t from = shape[1];
  Value matrix = resize.isGradient ? weights(t, resize, to, from) : weights(t, resize, from, to);
  shape.erase(shape.begin() + 1);
  shape.push_back(to);
  MLIRContext *context = t.b.getContext();
  auto numbers = DotDimensionNumbersAttr::get(context, {}, {}, {1}, {resize.isGradient ? 0 : 1});
  Attribute highest = PrecisionAttr::get(context, Precision::HIGHEST);
  return DotGeneralOp::create(t.b, t.loc, typeOf(image).clone(shape), image, matrix, numbers,
                              t.b.getArrayAttr({highest, highest}), DotAlgorithmAttr());
}

} // namespace

SmallVector<Value> expandResize(CustomCallOp op) {
  std::optional<Resize> resize = resizeOf(op);
  if (!resize || op.getNumOperands() != 1 || op.getNumResults() != 1)
    return {};
  auto from = dyn_cast<RankedTensorType>(op.getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (!from || !to || from.getRank() != 4 || to.getRank() != 4 ||
      from.getElementType() != to.getElementType() || !isa<FloatType>(from.getElementType()) ||
      from.getDimSize(0) != to.getDimSize(0) || from.getDimSize(3) != to.getDimSize(3) ||
      from.getNumElements() == 0 || to.getNumElements() == 0)
    return {};
  Tensors t(op);
  Value image = t.convert(op.getOperand(0), t.b.getF32Type());
  image = resizeFront(t, *resize, image, to.getDimSize(1)); // [n, w, c, h]
  image = resizeFront(t, *resize, image, to.getDimSize(2)); // [n, c, h, w]
  return {t.convert(t.transpose(image, {0, 2, 3, 1}), to.getElementType())};
}

} // namespace systole::expansion
