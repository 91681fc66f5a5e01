// Paths of numbers through the operations of a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/Origins.h"

#include <algorithm>
#include <cstddef>

namespace systole::numerics {
namespace {

constexpr int64_t kNever = INT64_MAX;

class Paths {
public:
  Paths(const std::vector<TappedOperation> &operations, const Sightings &sightings)
      : operations(operations), orders(operations.size(), kNever), users(operations.size()) {
    for (size_t i = 0; i < operations.size(); ++i) {
      for (const int64_t operand : operations[i].operands)
        if (operand >= 0)
          users[size_t(operand)].push_back(i);
      // A loop or branch has the numbers that its regions yield.
      if (operations[i].yieldsTo >= 0)
        users[i].push_back(size_t(operations[i].yieldsTo));
    }
    for (const auto &[number, sighting] : sightings)
      orders[size_t(number)] = sighting.order;
    for (const auto &[number, sighting] : sightings)
      passOn(size_t(number));
  }

  // Whether no operand had such a number before.
  bool isOrigin(size_t operation) const {
    return std::ranges::none_of(operations[operation].operands, [&](int64_t operand) {
      return operand >= 0 && orders[size_t(operand)] < orders[operation];
    });
  }

  bool reachesResult(size_t operation) const {
    std::vector<bool> isKnown(operations.size());
    std::vector<size_t> open = {operation};
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      if (isKnown[at] || orders[at] == kNever)
        continue;
      isKnown[at] = true;
      if (operations[at].isReturned)
        return true;
      open.insert(open.end(), users[at].begin(), users[at].end());
    }
    return false;
  }

private:
  bool isTapped(size_t operation) const { return operations[operation].value >= 0; }

  // To users whose values are not known.
  void passOn(size_t operation) {
    std::vector<size_t> open = {operation};
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      for (const size_t user : users[at])
        if (!isTapped(user) && operations[user].hasFloats && orders[at] < orders[user]) {
          orders[user] = orders[at];
          open.push_back(user);
        }
    }
  }

  const std::vector<TappedOperation> &operations;
  std::vector<int64_t> orders; // of the first such number, or kNever
  std::vector<std::vector<size_t>> users;
};

} // namespace

std::optional<Origin> findOrigin(const std::vector<TappedOperation> &operations,
                                 const Sightings &sightings) {
  std::vector<int64_t> candidates;
  for (const auto &[number, sighting] : sightings)
    if (sighting.isCandidate)
      candidates.push_back(number);
  if (candidates.empty())
    return std::nullopt;
  std::ranges::sort(candidates, {}, [&](int64_t number) { return sightings.at(number).order; });
  const Paths paths(operations, sightings);
  for (const int64_t number : candidates)
    if (paths.isOrigin(size_t(number)) && paths.reachesResult(size_t(number)))
      return Origin{number, true};
  return Origin{candidates.front()};
}

} // namespace systole::numerics
