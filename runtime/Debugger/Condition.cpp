// Conditions of breakpoints.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Condition.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/Debugger/Operand.h"
#include "runtime/Device/Device.h"
#include "runtime/Device/Floats.h"

namespace systole::debugger {

// The numbers of an operand in the present state.
absl::StatusOr<std::vector<double>> Condition::numbersOf(const Emulator &emulator, int number,
                                                         const std::string &text) const {
  if (read) {
    absl::StatusOr<std::optional<HostArray>> known = read(text);
    if (!known.ok())
      return known.status();
    if (*known)
      return systole::numbersOf(**known);
  }
  if (double literal; absl::SimpleAtod(text, &literal))
    return std::vector<double>{literal};
  const CoreView core = emulator.core(number);
  if (text == "cycle")
    return std::vector<double>{double(core.point().cycle)};
  if (auto found = registerIn(text, "s", isa::kScalarRegisters))
    return std::vector<double>{double(int32_t(core.scalar(*found)))};
  if (auto found = registerIn(text, "flag", isa::kSyncFlags))
    return std::vector<double>{double(core.flag(*found))};
  absl::StatusOr<NamedTensor> named = findTensor(emulator.program(), text);
  if (!named.ok())
    return named.status();
  absl::StatusOr<HostArray> array = readTensor(emulator, named->tensor, number);
  if (array.ok())
    array = sliced(*array, named->rest);
  if (!array.ok())
    return array.status();
  return systole::numbersOf(*array);
}

absl::StatusOr<Condition::Comparison> Condition::parseComparison(absl::string_view text) {
  absl::string_view rest = text;
  for (auto [prefix, kind] : {std::pair("isnan(", Kind::NaN), {"isinf(", Kind::Inf}})
    if (absl::ConsumePrefix(&rest, prefix) && absl::ConsumeSuffix(&rest, ")"))
      return Comparison{kind, std::string(absl::StripAsciiWhitespace(rest)), ""};
  // Longer ones first: "<=" begins like "<".
  for (auto [sign, kind] : {std::pair("<=", Kind::LessEqual),
                            {">=", Kind::GreaterEqual},
                            {"==", Kind::Equal},
                            {"!=", Kind::NotEqual},
                            {"<", Kind::Less},
                            {">", Kind::Greater}}) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(text, absl::MaxSplits(sign, 1));
    const absl::string_view left = absl::StripAsciiWhitespace(sides.first),
                            right = absl::StripAsciiWhitespace(sides.second);
    if (!left.empty() && !right.empty())
      return Comparison{kind, std::string(left), std::string(right)};
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is no condition, such as out0[3, 5] > 1, s1 == 3 or isnan(out0)"));
}

absl::StatusOr<Condition> Condition::parse(const Emulator &emulator, absl::string_view text,
                                           Read read) {
  Condition condition;
  condition.read = std::move(read);
  condition.whole = std::string(absl::StripAsciiWhitespace(text));
  for (absl::string_view part : absl::StrSplit(condition.whole, " and ")) {
    absl::StatusOr<Comparison> comparison = parseComparison(absl::StripAsciiWhitespace(part));
    if (!comparison.ok())
      return comparison.status();
    condition.comparisons.push_back(*std::move(comparison));
  }
  // Names are checked by looking them up.
  if (absl::StatusOr<bool> value = condition.holds(emulator); !value.ok())
    return value.status();
  return condition;
}

absl::StatusOr<bool> Condition::holds(const Emulator &emulator, int core) const {
  bool all = true;
  for (const Comparison &comparison : comparisons) {
    absl::StatusOr<std::vector<double>> left = numbersOf(emulator, core, comparison.left);
    if (!left.ok())
      return left.status();
    if (comparison.kind == Kind::NaN || comparison.kind == Kind::Inf) {
      const bool isNaN = comparison.kind == Kind::NaN;
      all &= std::ranges::any_of(*left,
                                 [&](double x) { return isNaN ? std::isnan(x) : std::isinf(x); });
      continue;
    }
    absl::StatusOr<std::vector<double>> right = numbersOf(emulator, core, comparison.right);
    if (!right.ok())
      return right.status();
    if (left->size() != right->size() && left->size() != 1 && right->size() != 1)
      return absl::InvalidArgumentError(absl::StrCat("'", comparison.left, "' has ", left->size(),
                                                     " elements, and '", comparison.right, "' ",
                                                     right->size()));
    auto compare = [&](double x, double y) {
      switch (comparison.kind) {
      case Kind::Less:
        return x < y;
      case Kind::LessEqual:
        return x <= y;
      case Kind::Greater:
        return x > y;
      case Kind::GreaterEqual:
        return x >= y;
      case Kind::Equal:
        return x == y;
      default:
        return x != y;
      }
    };
    const bool isEmpty = left->empty() || right->empty();
    bool any = false;
    for (size_t i = 0; !isEmpty && i < std::max(left->size(), right->size()); ++i)
      any |= compare((*left)[left->size() == 1 ? 0 : i], (*right)[right->size() == 1 ? 0 : i]);
    all &= any;
  }
  return all;
}

} // namespace systole::debugger
