// The boxes around the elements of a padded block.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/PadBorders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(BorderBoxes, InnerOnesLieBetweenOuterOnes) {
  auto boxes = borderBoxes({1, 58, 60, 64}, {0, 1, 3, 0}, {1, 56, 57, 64});
  ASSERT_EQ(boxes.size(), 3U);
  EXPECT_THAT(boxes[0].first, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(boxes[0].sizes, ElementsAre(1, 1, 60, 64));
  EXPECT_THAT(boxes[1].first, ElementsAre(0, 57, 0, 0));
  EXPECT_THAT(boxes[1].sizes, ElementsAre(1, 1, 60, 64));
  EXPECT_THAT(boxes[2].first, ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(boxes[2].sizes, ElementsAre(1, 56, 3, 64));
}

TEST(BorderBoxes, CoverEachElementOnce) {
  const std::vector<int64_t> shape = {5, 9, 40, 8}, first = {1, 0, 2, 0}, sizes = {4, 9, 37, 8};
  std::vector<int> covered(5 * 9 * 40);
  auto cover = [&](llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> extents) {
    for (int64_t i = 0; i < extents[0]; ++i)
      for (int64_t j = 0; j < extents[1]; ++j)
        for (int64_t k = 0; k < extents[2]; ++k)
          ++covered[((from[0] + i) * 9 + from[1] + j) * 40 + from[2] + k];
  };
  cover(first, sizes);
  for (const BorderBox &box : borderBoxes(shape, first, sizes))
    cover(box.first, box.sizes);
  EXPECT_THAT(covered, testing::Each(1));
}

TEST(BorderBoxes, LeaveWideBordersAndLanesToAFill) {
  EXPECT_THAT(borderBoxes({16, 128}, {4, 0}, {6, 128}), IsEmpty());
  EXPECT_THAT(borderBoxes({64, 100}, {0, 1}, {64, 98}), IsEmpty());
}

} // namespace
} // namespace systole
