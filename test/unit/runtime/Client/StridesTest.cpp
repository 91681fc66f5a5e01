// Orders of elements on the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Strides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using testing::ElementsAre;

TEST(Strides, OfDenseArrays) {
  const int64_t dims[] = {2, 0, 3}, order[] = {0, 2, 1};
  EXPECT_THAT(denseStrides(dims, 4), ElementsAre(12, 12, 4));
  EXPECT_THAT(*denseStrides(dims, 4, order), ElementsAre(4, 24, 8));
}

TEST(Strides, OrdersArePermutations) {
  const int64_t dims[] = {2, 3};
  for (std::vector<int64_t> order : {std::vector<int64_t>{0}, {0, 0}, {0, 2}, {-1, 0}, {0, 1, 2}})
    EXPECT_FALSE(denseStrides(dims, 4, order).ok());
}

TEST(Strides, OfOneElementDoNotMatter) {
  const int64_t dims[] = {1, 3}, a[] = {999, 4}, b[] = {12, 4}, c[] = {12, 8};
  EXPECT_TRUE(sameElements(dims, a, b));
  EXPECT_FALSE(sameElements(dims, b, c));
}

TEST(Strides, CopyTransposesAndReverses) {
  const uint16_t from[] = {1, 2, 3, 4, 5, 6}; // [2, 3]
  uint16_t to[6] = {};
  const int64_t dims[] = {2, 3}, forward[] = {6, 2}, transposed[] = {2, 4};
  copyStrided(dims, 2, reinterpret_cast<const uint8_t *>(from), forward,
              reinterpret_cast<uint8_t *>(to), transposed);
  EXPECT_THAT(to, ElementsAre(1, 4, 2, 5, 3, 6));
  const int64_t backward[] = {6, -2};
  copyStrided(dims, 2, reinterpret_cast<const uint8_t *>(from + 2), backward,
              reinterpret_cast<uint8_t *>(to), forward);
  EXPECT_THAT(to, ElementsAre(3, 2, 1, 6, 5, 4));
}

} // namespace
} // namespace systole
