// The rates of links that sources give.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Target/LinkRates.h"

#include "absl/strings/str_replace.h"
#include "dialects/Machine/Target/Builtin.h"
#include "gmock/gmock.h"

namespace systole {
namespace {

using testing::ElementsAre;

std::vector<double> ratesOf(const Target &target) {
  std::vector<double> rates;
  for (const LinkRate &rate : linkRates(target))
    rates.push_back(rate.gbPerSecond);
  return rates;
}

TEST(LinkRates, TheDescriptionsIsTheFirst) {
  EXPECT_THAT(ratesOf(*Target::load("v3")), ElementsAre(70, 82, 83, 100));
  EXPECT_THAT(ratesOf(*Target::load("v3-8")), ElementsAre(70, 82, 83, 100));
  EXPECT_THAT(ratesOf(*Target::load("v4")), ElementsAre(50));
}

TEST(LinkRates, EachOnce) {
  for (const BuiltinTarget &builtin : builtinTargets())
    if (builtin.name == "v3") {
      const std::string text = absl::StrReplaceAll(
          std::string(builtin.text),
          {{"ici_gb_per_s_per_link { value: 70", "ici_gb_per_s_per_link { value: 82"}});
      EXPECT_THAT(ratesOf(*Target::parse(text, "mine")), ElementsAre(82, 83, 100));
    }
}

} // namespace
} // namespace systole
