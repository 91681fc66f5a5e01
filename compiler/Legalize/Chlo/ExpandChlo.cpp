// Replaces CHLO operations by StableHLO operations.
// See docs/decisions/special-functions.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Chlo/Expansions.h"
#include "compiler/Legalize/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDCHLO
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace expansion;

/// Evaluates a function in f32, or f64 for f64, and rounds the result to a narrower element type.
template <typename... Reals>
Value evaluate(OpBuilder &b, Operation *op, Real (*formula)(Reals...)) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  RankedTensorType wide = type.getElementType().isF64() ? type : type.clone(b.getF32Type());
  auto operand = [&](unsigned number) {
    Value value = op->getOperand(number);
    if (type != wide)
      value = stablehlo::ConvertOp::create(b, op->getLoc(), wide, value);
    return Real(b, op->getLoc(), value);
  };
  auto apply = [&]<size_t... numbers>(std::index_sequence<numbers...>) {
    return formula(operand(numbers)...).value();
  };
  Value result = apply(std::index_sequence_for<Reals...>());
  return type == wide ? result : stablehlo::ConvertOp::create(b, op->getLoc(), type, result);
}

/// Whether each element is infinite, of the given sign or (0) of either.
Value isInfinite(OpBuilder &b, Operation *op, int sign) {
  Value x = op->getOperand(0);
  if (sign == 0)
    x = stablehlo::AbsOp::create(b, op->getLoc(), x);
  auto type = cast<RankedTensorType>(x.getType());
  auto semantics = &cast<FloatType>(type.getElementType()).getFloatSemantics();
  Value infinity = stablehlo::ConstantOp::create(
      b, op->getLoc(), DenseElementsAttr::get(type, APFloat::getInf(*semantics, sign < 0)));
  return stablehlo::CompareOp::create(b, op->getLoc(), x, infinity,
                                      stablehlo::ComparisonDirection::EQ,
                                      stablehlo::ComparisonTypeAttr());
}

/// Whether the pass that splits f64 evaluates `op` in fixed-point numbers: the operations of CHLO
/// that have a kind (`CHLO_DoubleFunctionOp`).
bool isFunctionOfDoubles(Operation *op) {
  return isa<TensorOpInterface>(op) &&
         cast<RankedTensorType>(op->getResult(0).getType()).getElementType().isF64();
}

/// The expansion of `op`; null if it is unsupported.
Value expand(OpBuilder &b, Operation *op) {
  using namespace chlo;
  auto function = [&]<typename... Reals>(Real (*formula)(Reals...)) {
    return [&b, formula](Operation *op) { return evaluate(b, op, formula); };
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<AcosOp>(function(expansion::acos))
      .Case<AcoshOp>(function(expansion::acosh))
      .Case<AsinOp>(function(expansion::asin))
      .Case<AsinhOp>(function(expansion::asinh))
      .Case<AtanOp>(function(expansion::atan))
      .Case<AtanhOp>(function(expansion::atanh))
      .Case<BesselI1eOp>(function(besselI1e))
      .Case<CoshOp>(function(expansion::cosh))
      .Case<DigammaOp>(function(digamma))
      .Case<ErfOp>(function(expansion::erf))
      .Case<ErfInvOp>(function(erfInv))
      .Case<ErfcOp>(function(expansion::erfc))
      .Case<LgammaOp>(function(expansion::lgamma))
      .Case<PolygammaOp>(function(polygamma))
      .Case<SinhOp>(function(expansion::sinh))
      .Case<TanOp>(function(expansion::tan))
      .Case<ZetaOp>(function(zeta))
      .Case<ConjOp>([](ConjOp op) { return op.getOperand(); })
      .Case<SquareOp>([&](SquareOp op) {
        return stablehlo::MulOp::create(b, op.getLoc(), op.getOperand(), op.getOperand());
      })
      .Case<IsInfOp>([&](Operation *op) { return isInfinite(b, op, 0); })
      .Case<IsPosInfOp>([&](Operation *op) { return isInfinite(b, op, 1); })
      .Case<IsNegInfOp>([&](Operation *op) { return isInfinite(b, op, -1); })
      .Case<NextAfterOp>([&](NextAfterOp op) { return expandNextAfter(b, op); })
      .Case<MulhiOp>([&](MulhiOp op) { return expandMulhi(b, op); })
      .Case<ConstantLikeOp>([&](ConstantLikeOp op) {
        auto type = cast<RankedTensorType>(op.getType());
        return stablehlo::ConstantOp::create(
            b, op.getLoc(), DenseElementsAttr::get(type, ArrayRef<Attribute>{op.getValue()}));
      })
      .Default([](Operation *) { return Value(); });
}

struct ExpandChlo : impl::ExpandChloBase<ExpandChlo> {
  void rewrite() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<chlo::CHLODialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto topK = dyn_cast<chlo::TopKOp>(op)) {
        topK.replaceAllUsesWith(expandTopK(topK));
        topK.erase();
        continue;
      }
      OpBuilder builder(op);
      if (isFunctionOfDoubles(op))
        continue;
      Value result = expand(builder, op);
      if (!result) {
        emitUnsupported(op);
        return signalPassFailure();
      }
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }
};

} // namespace
} // namespace systole
