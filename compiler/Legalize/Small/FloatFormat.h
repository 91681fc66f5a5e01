// Floating-point formats of at most 8 bits, as numbers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_SMALL_FLOATFORMAT_H
#define SYSTOLE_COMPILER_LEGALIZE_SMALL_FLOATFORMAT_H

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>
#include <optional>

namespace systole::small {

/// The parameters of a format, from which all conversions follow. A code is the bits of a number
/// without its sign; codes ascend with the numbers.
struct FloatFormat {
  explicit FloatFormat(mlir::FloatType type);

  int bits;             // with the sign
  int mantissa;         // stored bits of it
  int leastExponent;    // of a normal number
  int greatestExponent; // of a finite number
  bool hasSign, hasNegativeZero;
  /// The format has exponents only: neither zero nor denormals (f8E8M0FNU).
  bool isPowerOfTwo;
  /// Numbers that are too large become the code behind the largest finite one, an infinity or NaN;
  /// or the largest one, if the format has neither.
  bool saturates;
  int32_t largest;            // code of the largest finite number
  std::optional<int32_t> nan; // bits of the quiet NaN

  int32_t signBit() const { return hasSign ? 1 << (bits - 1) : 0; }
  int32_t overflow() const { return largest + !saturates; }
};

} // namespace systole::small

#endif // SYSTOLE_COMPILER_LEGALIZE_SMALL_FLOATFORMAT_H
