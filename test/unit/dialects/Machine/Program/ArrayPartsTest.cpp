// Arrays that are divided among cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/ArrayParts.h"

#include <string>
#include <vector>

#include "dialects/Machine/Program/program.pb.h"
#include "gmock/gmock.h"

namespace systole {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

program::Tensor tensorOf(const std::vector<int64_t> &dims, const std::vector<int64_t> &whole,
                         const std::vector<int64_t> &positions) {
  program::Tensor tensor;
  tensor.set_name("x");
  tensor.mutable_dims()->Assign(dims.begin(), dims.end());
  tensor.mutable_whole_dims()->Assign(whole.begin(), whole.end());
  tensor.mutable_core_positions()->Assign(positions.begin(), positions.end());
  return tensor;
}

TEST(ArrayParts, WithoutPositionsEveryCoreHasTheWhole) {
  const ArrayParts parts = *arrayPartsOf(tensorOf({3, 5}, {}, {}), 4);
  EXPECT_THAT(parts.counts, ElementsAre(1, 1));
  EXPECT_THAT(parts.cores, ElementsAre(0, 1, 2, 3));
  EXPECT_FALSE(parts.isDivided());
  EXPECT_EQ(parts.copies(), 4);
  EXPECT_EQ(arrayPartsOf(tensorOf({}, {}, {}), 2)->copies(), 2);
}

TEST(ArrayParts, PartsHaveTheirCoresInOrder) {
  // A mesh of three by two cores, of which the first axis divides the second dimension.
  const ArrayParts parts =
      *arrayPartsOf(tensorOf({7, 2}, {7, 6}, {0, 2, 0, 2, 0, 1, 0, 1, 0, 0, 0, 0}), 6);
  EXPECT_THAT(parts.counts, ElementsAre(1, 3));
  EXPECT_THAT(parts.cores, ElementsAre(4, 5, 2, 3, 0, 1));
  EXPECT_TRUE(parts.isDivided());
  EXPECT_EQ(parts.copies(), 2);
}

TEST(ArrayParts, ArraysWithoutElementsHaveParts) {
  EXPECT_THAT(arrayPartsOf(tensorOf({0}, {0}, {1, 0}), 2)->cores, ElementsAre(1, 0));
}

TEST(ArrayParts, RefusesWhatIsNone) {
  struct Case {
    program::Tensor tensor;
    const char *error;
  };
  const Case cases[] = {
      {tensorOf({2}, {4}, {}), "1 dimensions of the whole and 0 positions of 2 cores"},
      {tensorOf({2}, {}, {0, 1}), "0 dimensions of the whole and 2 positions"},
      {tensorOf({2}, {4, 4}, {0, 1}), "2 dimensions of the whole"},
      {tensorOf({2}, {4}, {0, 1, 0}), "3 positions of 2 cores; it has 1 dimensions"},
      {tensorOf({2}, {4}, {0, 2}), "a part at position 2 for 2 cores"},
      {tensorOf({2}, {4}, {0, -1}), "a part at position -1"},
      {tensorOf({2}, {5}, {0, 1}), "2 parts of 2 positions along dimension 0 of 5"},
      {tensorOf({2}, {6}, {0, 1}), "2 parts of 2 positions along dimension 0 of 6"},
      {tensorOf({2}, {2}, {1, 1}), "2 parts of 2 positions along dimension 0 of 2"},
      {tensorOf({2}, {4}, {1, 1}), "not all of 2 parts are of equally many cores"},
      {tensorOf({1, 1}, {2, 2}, {0, 0, 1, 1}), "more parts than 2 cores"},
  };
  for (const auto &[tensor, error] : cases) {
    const absl::Status status = arrayPartsOf(tensor, 2).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << error;
    EXPECT_THAT(std::string(status.message()), HasSubstr(error));
  }
}

} // namespace
} // namespace systole
