// Formats of the values of command-line options.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/systole/Values.h"

#include "absl/strings/str_cat.h"
#include "llvm/ADT/StringExtras.h"

namespace systole {
namespace {

std::string isTooLarge(llvm::StringRef text, uint64_t most) {
  return absl::StrCat("'", text.str(), "' is more than the most, ", most);
}

// The error in `digits`, the number in `text`; else "" and its value.
std::string parseNumber(llvm::StringRef digits, llvm::StringRef text, uint64_t most,
                        uint64_t &value) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != llvm::StringRef::npos)
    return absl::StrCat("'", text.str(), "' is not a whole number from 0 to ", most);
  if (digits.getAsInteger(10, value) || value > most)
    return isTooLarge(text, most);
  return "";
}

} // namespace

CLI::Validator notEmpty() {
  return CLI::Validator([](std::string &text) { return text.empty() ? "the value is empty" : ""; },
                        "");
}

CLI::Validator wholeNumber(uint64_t most) {
  return CLI::Validator(
      [most](std::string &text) {
        uint64_t value;
        return parseNumber(text, text, most, value);
      },
      "");
}

CLI::Validator byteCount() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        constexpr uint64_t most = INT64_MAX;
        llvm::StringRef digits =
            llvm::StringRef(text).take_while([](char c) { return llvm::isDigit(c); });
        std::string unit = llvm::StringRef(text).drop_front(digits.size()).trim().lower();
        uint64_t value;
        if (digits.empty())
          digits = text; // rejected as a whole
        if (std::string error = parseNumber(digits, text, most, value); !error.empty())
          return error;
        static constexpr llvm::StringRef prefixes = "kmgtpe";
        unsigned power = 0;
        llvm::StringRef rest = unit;
        if (rest.starts_with(".") || rest.starts_with(","))
          return absl::StrCat("'", text, "' is no whole number of a unit");
        if (!rest.empty() && prefixes.contains(rest.front())) {
          power = prefixes.find(rest.front()) + 1;
          rest = rest.drop_front();
          rest.consume_front("i");
        }
        if (!rest.empty() && rest != "b")
          return absl::StrCat("'", text, "' has an unknown unit; there are B, KB, MB, GB and TB");
        if (value > most >> (10 * power))
          return isTooLarge(text, most);
        text = std::to_string(value << (10 * power));
        return "";
      },
      "");
}

} // namespace systole
