// Sets of sources of unknown values, each stored once.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Origins.h"

#include <algorithm>
#include <iterator>

namespace systole::emulation {

Origins::Origins() { sets.resize(2); }

Origin Origins::number(std::vector<Source> set) {
  if (auto found = numbers.find(set); found != numbers.end())
    return found->second;
  if (sets.size() >= kMostSets || set.size() > kMostSources)
    return kNever;
  const auto next = Origin(sets.size());
  sets.push_back(set);
  numbers.emplace(std::move(set), next);
  return next;
}

Origin Origins::of(std::vector<Origin> &known, Source::Kind kind, int32_t index) {
  const auto place = size_t(index + 1);
  if (place >= known.size())
    known.resize(place + 1, kKnown);
  Origin &origin = known[place];
  if (origin == kKnown)
    origin = number({{kind, index}});
  return origin;
}

Origin Origins::joinSets(Origin a, Origin b) {
  if (a > b)
    std::swap(a, b);
  auto [found, isNew] = joined.try_emplace({a, b}, kNever);
  if (!isNew)
    return found->second;
  std::vector<Source> both;
  std::ranges::set_union(sets[a], sets[b], std::back_inserter(both));
  const Origin result = number(std::move(both));
  found->second = result;
  // Pairs are as many as a program makes of them: few are kept.
  if (joined.size() > kMostSets)
    joined.clear();
  return result;
}

} // namespace systole::emulation
