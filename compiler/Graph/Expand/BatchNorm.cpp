// Expands batch normalization to reductions and arithmetic.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Expand/Tensors.h"
#include "compiler/Graph/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDBATCHNORM
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

/// Arithmetic in f32, or f64 for this, on one operand and its features; results are rounded to the
/// operand's element type at the end.
class Features {
public:
  template <typename Op>
  explicit Features(Op op)
      : t(op), element(typeOf(op.getOperand()).getElementType()),
        wide(element.isF64() ? element : t.b.getF32Type()), dim(op.getFeatureIndex()),
        shape(shapeOf(op.getOperand())), epsilon(op.getEpsilon().convertToFloat()) {
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
      if (d != dim)
        reduced.push_back(d);
    count = 1;
    for (int64_t d : reduced)
      count *= shape[d];
  }

  Value widen(Value value) { return t.convert(value, wide); }
  Value narrow(Value value) { return t.convert(value, element); }
  Value spread(Value perFeature) { return t.spread(perFeature, shape, dim); }
  Value add(Value x, Value y) { return t.apply<AddOp>(x, y); }
  Value subtract(Value x, Value y) { return t.apply<SubtractOp>(x, y); }
  Value multiply(Value x, Value y) { return t.apply<MulOp>(x, y); }
  /// 1 / sqrt(variance + epsilon) of each feature.
  Value scaleOf(Value variance) {
    Value shifted = add(variance, t.real(wide, epsilon, shapeOf(variance)));
    return t.apply<RsqrtOp>(shifted);
  }
  /// The sums over all elements of each feature.
  Value sum(Value value) { return t.reduce<AddOp>(value, t.real(wide, -0.0), reduced); }
  Value mean(Value value) {
    Value total = sum(value);
    return t.apply<DivOp>(total, t.real(wide, static_cast<double>(count), shapeOf(total)));
  }
  /// (centered * factor) * scale + offset
  Value normalize(Value centered, Value factor, Value scale, Value offset) {
    return add(multiply(centered, spread(multiply(factor, widen(scale)))), spread(widen(offset)));
  }

  Tensors t;
  Type element, wide;
  int64_t dim, count;
  SmallVector<int64_t> shape, reduced;
  double epsilon;
};

void expand(BatchNormTrainingOp op) {
  Features f(op);
  Value x = f.widen(op.getOperand());
  Value mean = f.mean(x);
  Value centered = f.subtract(x, f.spread(mean));
  Value variance = f.mean(f.multiply(centered, centered));
  Value result = f.normalize(centered, f.scaleOf(variance), op.getScale(), op.getOffset());
  op.replaceAllUsesWith(ValueRange{f.narrow(result), f.narrow(mean), f.narrow(variance)});
  op.erase();
}

void expand(BatchNormInferenceOp op) {
  Features f(op);
  Value centered = f.subtract(f.widen(op.getOperand()), f.spread(f.widen(op.getMean())));
  Value factor = f.scaleOf(f.widen(op.getVariance()));
  op.replaceAllUsesWith(f.narrow(f.normalize(centered, factor, op.getScale(), op.getOffset())));
  op.erase();
}

// With n elements per feature, d = 1 / sqrt(variance + epsilon), and the gradient g of the result:
// scale * d * (g - mean(g) - centered * d^2 * mean(g * centered)).
void expand(BatchNormGradOp op) {
  Features f(op);
  Value gradient = f.widen(op.getGradOutput());
  Value centered = f.subtract(f.widen(op.getOperand()), f.spread(f.widen(op.getMean())));
  Value factor = f.scaleOf(f.widen(op.getVariance()));
  Value total = f.sum(gradient), products = f.sum(f.multiply(gradient, centered));
  Value count = f.t.real(f.wide, static_cast<double>(f.count), shapeOf(total));
  Value meanOfGradient = f.t.apply<DivOp>(total, count);
  Value slope = f.multiply(f.multiply(factor, factor), f.t.apply<DivOp>(products, count));
  Value inner = f.subtract(f.subtract(gradient, f.spread(meanOfGradient)),
                           f.multiply(centered, f.spread(slope)));
  Value ofOperand = f.multiply(inner, f.spread(f.multiply(factor, f.widen(op.getScale()))));
  Value ofScale = f.multiply(products, factor);
  op.replaceAllUsesWith(ValueRange{f.narrow(ofOperand), f.narrow(ofScale), f.narrow(total)});
  op.erase();
}

struct ExpandBatchNorm : impl::ExpandBatchNormBase<ExpandBatchNorm> {
  void rewrite() override {
    getOperation()->walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<BatchNormTrainingOp, BatchNormInferenceOp, BatchNormGradOp>(
              [](auto op) { expand(op); });
    });
  }
};

} // namespace
} // namespace systole
