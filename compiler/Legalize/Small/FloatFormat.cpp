// Floating-point formats of at most 8 bits, as numbers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Small/FloatFormat.h"

#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace systole::small {

FloatFormat::FloatFormat(FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  bits = int(APFloat::semanticsSizeInBits(semantics));
  mantissa = int(APFloat::semanticsPrecision(semantics)) - 1;
  leastExponent = APFloat::semanticsMinExponent(semantics);
  greatestExponent = APFloat::semanticsMaxExponent(semantics);
  hasSign = APFloat::semanticsHasSignedRepr(semantics);
  isPowerOfTwo = !APFloat::semanticsHasZero(semantics);
  saturates = !APFloat::semanticsHasInf(semantics) && !APFloat::semanticsHasNaN(semantics);
  largest = int32_t(APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue());
  if (APFloat::semanticsHasNaN(semantics))
    nan = int32_t(APFloat::getQNaN(semantics).bitcastToAPInt().getZExtValue());
  // Where the pattern of a negative zero is the NaN, there is no such zero.
  hasNegativeZero = hasSign && nan != signBit();
}

} // namespace systole::small
