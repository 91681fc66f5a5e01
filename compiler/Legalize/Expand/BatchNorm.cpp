// Expands batch normalization to reductions and arithmetic.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/BatchNorm.h"
#include "compiler/Legalize/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDBATCHNORM
#include "compiler/Legalize/Passes.h.inc"

namespace expansion {

using namespace stablehlo;

namespace {

using Values = SmallVector<Value>;

/// Arithmetic in f32, or f64 for this, on one operand and its features; results are rounded to the
/// operand's element type at the end.
class Features {
public:
  template <typename Op>
  Features(Op op, Value operand, const Counted &counted)
      : t(op), element(typeOf(operand).getElementType()),
        wide(element.isF64() ? element : t.b.getF32Type()), dim(op.getFeatureIndex()),
        shape(shapeOf(operand)), epsilon(op.getEpsilon().convertToFloat()), counted(counted) {
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
      if (d != dim)
        reduced.push_back(d);
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
  Value sum(Value value) {
    if (counted.mask)
      value = t.select(counted.mask, value, t.real(wide, -0.0, shape));
    return t.reduce<AddOp>(value, t.real(wide, -0.0), reduced);
  }
  /// A sum, divided by the number of elements of each feature.
  Value mean(Value total) {
    if (counted.count)
      return t.apply<DivOp>(total, t.fill(widen(counted.count), shapeOf(total)));
    int64_t count = 1;
    for (int64_t d : reduced)
      count *= shape[d];
    return t.apply<DivOp>(total, t.real(wide, static_cast<double>(count), shapeOf(total)));
  }
  /// (centered * factor) * scale + offset
  Value normalize(Value centered, Value factor, Value scale, Value offset) {
    return add(multiply(centered, spread(multiply(factor, widen(scale)))), spread(widen(offset)));
  }

private:
  Tensors t;
  Type element, wide;
  int64_t dim;
  SmallVector<int64_t> shape, reduced;
  double epsilon;
  Counted counted;
};

/// Of operand, scale and offset.
Values train(Features &f, ValueRange operands) {
  Value x = f.widen(operands[0]);
  Value mean = f.mean(f.sum(x));
  Value centered = f.subtract(x, f.spread(mean));
  Value variance = f.mean(f.sum(f.multiply(centered, centered)));
  Value result = f.normalize(centered, f.scaleOf(variance), operands[1], operands[2]);
  return {f.narrow(result), f.narrow(mean), f.narrow(variance)};
}

/// Of operand, scale, offset, mean and variance.
Values infer(Features &f, ValueRange operands) {
  Value centered = f.subtract(f.widen(operands[0]), f.spread(f.widen(operands[3])));
  Value factor = f.scaleOf(f.widen(operands[4]));
  return {f.narrow(f.normalize(centered, factor, operands[1], operands[2]))};
}

// With n elements per feature, d = 1 / sqrt(variance + epsilon), and the gradient g of the result:
// scale * d * (g - mean(g) - centered * d^2 * mean(g * centered)).
/// Of operand, scale, mean, variance and the gradient of the result.
Values differentiate(Features &f, ValueRange operands) {
  Value gradient = f.widen(operands[4]);
  Value centered = f.subtract(f.widen(operands[0]), f.spread(f.widen(operands[2])));
  Value factor = f.scaleOf(f.widen(operands[3]));
  Value total = f.sum(gradient), products = f.sum(f.multiply(gradient, centered));
  Value slope = f.multiply(f.multiply(factor, factor), f.mean(products));
  Value inner = f.subtract(f.subtract(gradient, f.spread(f.mean(total))),
                           f.multiply(centered, f.spread(slope)));
  Value ofOperand = f.multiply(inner, f.spread(f.multiply(factor, f.widen(operands[1]))));
  Value ofScale = f.multiply(products, factor);
  return {f.narrow(ofOperand), f.narrow(ofScale), f.narrow(total)};
}

} // namespace

Values expandBatchNorm(Operation *op, ValueRange operands, const Counted &counted) {
  auto with = [&](auto expand) {
    return [&, expand](auto op) {
      Features f(op, operands[0], counted);
      return expand(f, operands);
    };
  };
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case<BatchNormTrainingOp>(with(train))
      .Case<BatchNormInferenceOp>(with(infer))
      .Case<BatchNormGradOp>(with(differentiate));
}

} // namespace expansion

namespace {

struct ExpandBatchNorm : impl::ExpandBatchNormBase<ExpandBatchNorm> {
  void rewrite() override {
    getOperation()->walk([](Operation *op) {
      if (!isa<stablehlo::BatchNormTrainingOp, stablehlo::BatchNormInferenceOp,
               stablehlo::BatchNormGradOp>(op))
        return;
      op->replaceAllUsesWith(expansion::expandBatchNorm(op, op->getOperands()));
      op->erase();
    });
  }
};

} // namespace
} // namespace systole
