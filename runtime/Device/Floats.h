// Floating-point numbers of all types as doubles, and facts of these types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_FLOATS_H
#define SYSTOLE_RUNTIME_DEVICE_FLOATS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/Device/HostArray.h"

namespace systole {

struct FloatFacts {
  int digits = 0;         // significant bits, the implicit one included
  int leastExponent = 0;  // of normal numbers: the smallest one is 2^leastExponent
  double leastNormal = 0; // 2^leastExponent
  double largest = 0;     // finite
  double
  ulp(double x) const; // the distance of neighbours at x, or at leastNormal if that is larger
};

// The type of a real number, or of the parts of a complex one; nothing for other types. `dtype` is
// as in program.proto.
std::optional<FloatFacts> floatFacts(std::string_view dtype);

// The numbers of an array whose type has facts, exactly; the parts of complex ones one after the
// other. Nothing of other types.
std::vector<double> toDoubles(std::string_view dtype, std::span<const uint8_t> bytes);

// The numbers of any array: integers of 64 bits rounded, i1 as 0 and 1.
std::vector<double> numbersOf(const HostArray &array);

// floor(log2(|x|)), of a finite number that is not 0.
int exponentOf(double x);

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_FLOATS_H
