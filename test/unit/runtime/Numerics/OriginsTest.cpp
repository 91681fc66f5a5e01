// Origins of numbers that are not finite.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/Origins.h"

#include "gtest/gtest.h"

using namespace systole;
using namespace systole::numerics;

namespace {

// An operation with its operands; tapped unless said otherwise.
TappedOperation operation(std::vector<int64_t> operands, bool isTapped = true) {
  TappedOperation made;
  made.operands = std::move(operands);
  made.value = isTapped ? 1 : -1;
  made.hasFloats = true;
  return made;
}

Sightings seen(std::vector<int64_t> inOrder) {
  Sightings sightings;
  for (size_t i = 0; i < inOrder.size(); ++i)
    sightings[inOrder[i]] = {.order = int64_t(i) + 1};
  return sightings;
}

TEST(Origins, IsTheFirstThatReachesAResult) {
  // 0 is dropped by 1; 2 reaches the result 4 through 3, which is not tapped.
  std::vector<TappedOperation> operations = {operation({-1}), operation({0}), operation({-1}),
                                             operation({2}, /*isTapped=*/false), operation({1, 3})};
  operations[4].isReturned = true;
  const std::optional<Origin> origin = findOrigin(operations, seen({0, 2, 4}));
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->operation, 2);
  EXPECT_TRUE(origin->reachesResult);
}

TEST(Origins, WithoutAPathItIsTheFirstOne) {
  std::vector<TappedOperation> operations = {operation({-1}), operation({0})};
  operations[1].isReturned = true;
  const std::optional<Origin> origin = findOrigin(operations, seen({0}));
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->operation, 0);
  EXPECT_FALSE(origin->reachesResult);
  EXPECT_FALSE(findOrigin(operations, {}));
}

TEST(Origins, DoNotPassThroughPredicates) {
  // 1 compares 0 with something, and chooses in 2, whose own NaN is that of 3.
  std::vector<TappedOperation> operations = {operation({-1}), operation({0}, false),
                                             operation({1, 3}), operation({-1})};
  operations[1].hasFloats = false;
  operations[2].isReturned = true;
  const std::optional<Origin> origin = findOrigin(operations, seen({0, 3, 2}));
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->operation, 3);
}

TEST(Origins, PassThroughLoops) {
  // 0 is a loop, whose body computes 1 from its value and 2 from 1, and yields 2; 3 is a result.
  std::vector<TappedOperation> operations = {operation({-1}, false), operation({0}), operation({1}),
                                             operation({0})};
  operations[2].yieldsTo = 0;
  operations[3].isReturned = true;
  std::optional<Origin> origin = findOrigin(operations, seen({2, 1, 3}));
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->operation, 2); // 1 has it in the next iteration
  EXPECT_TRUE(origin->reachesResult);
  // Its own numbers of this kind do not count.
  Sightings sightings = seen({2, 1, 3});
  sightings[2].isCandidate = false;
  origin = findOrigin(operations, sightings);
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->operation, 1);
}

} // namespace
