// Identity elements of reducers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/Identities.h"

#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {

/// The greatest or the least number of a format: some have no infinity, one has no sign.
static llvm::APFloat extreme(const llvm::fltSemantics &semantics, bool negative) {
  if (negative && !llvm::APFloat::semanticsHasSignedRepr(semantics))
    return llvm::APFloat::getSmallest(semantics);
  return llvm::APFloat::semanticsHasInf(semantics) ? llvm::APFloat::getInf(semantics, negative)
                                                   : llvm::APFloat::getLargest(semantics, negative);
}

DenseElementsAttr identityOf(Operation *combiner) {
  if (isa<ComplexType>(cast<RankedTensorType>(combiner->getResult(0).getType()).getElementType()))
    return {};
  auto type = RankedTensorType::get(
      {}, cast<RankedTensorType>(combiner->getResult(0).getType()).getElementType());
  auto of = [&](const llvm::APFloat &real, const llvm::APInt &integer) {
    if (isa<FloatType>(type.getElementType()))
      return DenseElementsAttr::get(type, real);
    return DenseElementsAttr::get(type, integer);
  };
  auto real = [&](auto make) {
    auto element = dyn_cast<FloatType>(type.getElementType());
    return element ? make(element.getFloatSemantics()) : llvm::APFloat(0.0);
  };
  unsigned bits = type.getElementTypeBitWidth();
  bool isSigned = !type.getElementType().isUnsignedInteger() && bits > 1;
  using llvm::APFloat, llvm::APInt;
  return llvm::TypeSwitch<Operation *, DenseElementsAttr>(combiner)
      .Case<stablehlo::AddOp, stablehlo::OrOp, stablehlo::XorOp>([&](auto) {
        // -0 is the identity of addition: +0 would turn a sum of -0 alone into +0.
        return of(real([](auto &s) { return APFloat::getZero(s, /*Negative=*/true); }),
                  APInt::getZero(bits));
      })
      .Case<stablehlo::MulOp>([&](auto) {
        return of(real([](auto &s) { return APFloat::getOne(s); }), APInt(bits, 1));
      })
      .Case<stablehlo::AndOp>([&](auto) { return of(APFloat(0.0), APInt::getAllOnes(bits)); })
      .Case<stablehlo::MaxOp>([&](auto) {
        return of(real([](auto &s) { return extreme(s, /*negative=*/true); }),
                  isSigned ? APInt::getSignedMinValue(bits) : APInt::getZero(bits));
      })
      .Case<stablehlo::MinOp>([&](auto) {
        return of(real([](auto &s) { return extreme(s, /*negative=*/false); }),
                  isSigned ? APInt::getSignedMaxValue(bits) : APInt::getAllOnes(bits));
      })
      .Default([](auto) { return DenseElementsAttr(); });
}

} // namespace systole
