// Why an operation has a result that is not finite, in words.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_NUMERICS_REASON_H
#define SYSTOLE_RUNTIME_NUMERICS_REASON_H

#include <optional>
#include <string>
#include <vector>

#include "runtime/Numerics/FirstNonfinite.h"

namespace systole::numerics {

// The number of an operand at an index of the result, if an element of that depends on it alone,
// and it has real numbers.
std::optional<double> numberAt(const NonfiniteOperand &operand, const FirstNonfinite &first,
                               const std::vector<int64_t> &index);

// "0 / 0" or "the logarithm of a negative number", of the first element; "" if that needs more than
// the operands at it, as in sums.
std::string reasonOf(const FirstNonfinite &first);

} // namespace systole::numerics

#endif // SYSTOLE_RUNTIME_NUMERICS_REASON_H
