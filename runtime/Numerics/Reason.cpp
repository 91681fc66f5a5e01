// The cases of IEEE 754 in which operations on finite numbers have results that are not finite.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/Reason.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/Numerics/Errors.h"

namespace systole::numerics {

std::optional<double> numberAt(const NonfiniteOperand &operand, const FirstNonfinite &first,
                               const std::vector<int64_t> &index) {
  const HostArray &result = first.result;
  if (!first.operation.isElementwise || operand.array.dims != result.dims ||
      operand.array.dtype.starts_with("complex"))
    return std::nullopt;
  size_t element = 0;
  for (size_t d = 0; d < index.size(); ++d)
    element = element * size_t(result.dims[d]) + size_t(index[d]);
  const std::vector<double> numbers = toDoubles(operand.array.dtype, operand.array.bytes);
  return element < numbers.size() ? std::optional(numbers[element]) : std::nullopt;
}

static std::string ofOne(absl::string_view operation, double x) {
  if (operation == "log")
    return x < 0 ? "the logarithm of a negative number" : x == 0 ? "the logarithm of 0" : "";
  if (operation == "log_plus_one")
    return x < -1 ? "log(1 + x) of a number below -1" : x == -1 ? "log(1 + x) of -1" : "";
  if (operation == "sqrt" || operation == "rsqrt")
    return x < 0                            ? "the square root of a negative number"
           : x == 0 && operation == "rsqrt" ? "1 divided by the square root of 0"
                                            : "";
  const bool isPeriodic = operation == "sine" || operation == "cosine" || operation == "tan";
  return isPeriodic && std::isinf(x) ? "a periodic function of an infinity" : "";
}

static std::string ofTwo(absl::string_view operation, double x, double y) {
  if (operation == "divide" && y == 0)
    return x == 0 ? "0 / 0" : "a division by 0";
  if (operation == "divide" && std::isinf(x) && std::isinf(y))
    return "an infinity divided by another";
  if (operation == "remainder" && (y == 0 || std::isinf(x)))
    return y == 0 ? "the remainder of a division by 0" : "the remainder of an infinity";
  if (operation == "multiply" && ((x == 0 && std::isinf(y)) || (y == 0 && std::isinf(x))))
    return "0 times an infinity";
  if (std::isinf(x) && std::isinf(y) &&
      (operation == "subtract" ? x == y : operation == "add" && x == -y))
    return "the difference of two infinities";
  if (operation == "power" && x < 0 && y != std::trunc(y))
    return "a negative number to the power of a fraction";
  return operation == "power" && x == 0 && y < 0 ? "0 to a negative power" : "";
}

std::string reasonOf(const FirstNonfinite &first) {
  absl::string_view operation = first.operation.operation;
  operation.remove_prefix(std::min(operation.size(), operation.rfind('.') + 1));
  if (first.elements.empty() || !first.operation.isElementwise)
    return "";
  const std::vector<int64_t> &index = first.elements.front();
  std::vector<double> operands;
  for (const NonfiniteOperand &operand : first.operands) {
    const std::optional<double> number = numberAt(operand, first, index);
    if (!number)
      return "";
    operands.push_back(*number);
  }
  if (std::ranges::any_of(operands, [](double x) { return std::isnan(x); }))
    return "an operand is NaN";
  std::string reason;
  if (operands.size() == 1)
    reason = ofOne(operation, operands[0]);
  else if (operands.size() == 2)
    reason = ofTwo(operation, operands[0], operands[1]);
  const std::optional<double> value = numberAt({"", first.result}, first, index);
  const bool isFinite = std::ranges::all_of(operands, [](double x) { return std::isfinite(x); });
  // Types without infinities have NaN beyond their largest number.
  const bool isLarge =
      value && (std::isinf(*value) || (std::isnan(*value) && first.result.dtype.starts_with("f8")));
  if (reason.empty() && !operands.empty() && isFinite && isLarge)
    reason = absl::StrCat("the result is beyond the largest number of ", first.result.dtype);
  return reason;
}

} // namespace systole::numerics
