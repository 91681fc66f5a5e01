// The rates of links between chips that sources give.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Target/LinkRates.h"

#include <string_view>

namespace systole {

// Not in the descriptions: these have one value of each constant, and a hash.
static constexpr struct {
  std::string_view target;
  double gbPerSecond;
  const char *source;
} kOthers[] = {
    {"v3", 82, "Jouppi et al., CACM 2020: 656 Gbit/s"},
    {"v3", 83,
     "Cloud TPU documentation, TPU v3: all-reduce bandwidth of a pod of 340 TB/s, by 1,024 chips "
     "of four links"},
    {"v3", 100,
     "Cloud TPU documentation, TPU v3: bisection bandwidth of a pod of 6.4 TB/s, by the 64 links "
     "that cross the middle of 32 x 32 chips; Austin et al., How to Scale Your Model, 2025, part "
     "2"},
};

std::vector<LinkRate> linkRates(const Target &target) {
  const target::Constant &own = target.description().ici_gb_per_s_per_link();
  std::vector<LinkRate> rates = {{own.value(), own.source()}};
  for (const auto &other : kOthers)
    if (other.target == target.description().name() && other.gbPerSecond != own.value())
      rates.push_back({other.gbPerSecond, other.source});
  return rates;
}

} // namespace systole
