// Rows of copies, against a list of all of their rows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Verify/CopyRange.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

namespace systole::verify {
namespace {

std::set<int64_t> rowsOf(const CopyRange &range) {
  std::set<int64_t> rows;
  for (int64_t i = 0; i < range.counts[0]; ++i)
    for (int64_t j = 0; j < range.counts[1]; ++j)
      for (int64_t k = 0; k < range.counts[2]; ++k)
        for (int64_t row = 0; row < range.chunk; ++row)
          rows.insert(range.base + i * range.strides[0] + j * range.strides[1] +
                      k * range.strides[2] + row);
  return rows;
}

TEST(CopyRange, ContainsAndOverlapsItsRows) {
  std::mt19937 random(7);
  auto pick = [&](int64_t first, int64_t last) {
    return std::uniform_int_distribution<int64_t>(first, last)(random);
  };
  auto range = [&] {
    CopyRange range;
    range.base = pick(0, 40);
    range.chunk = pick(0, 4);
    for (size_t i = 0; i < 3; ++i) {
      range.counts[i] = pick(1, 4);
      range.strides[i] = pick(0, 15);
    }
    return range;
  };
  for (int round = 0; round < 3000; ++round) {
    const CopyRange a = range(), b = range();
    const std::set<int64_t> rows = rowsOf(a), others = rowsOf(b);
    bool overlap = false;
    for (int64_t row : others)
      overlap |= rows.count(row) > 0;
    EXPECT_EQ(a.overlaps(b), overlap) << round;
    for (int64_t row = 0; row < 120; ++row)
      EXPECT_EQ(a.contains(row), rows.count(row) > 0) << round << " " << row;
  }
}

TEST(CopyRange, OfADescriptor) {
  program::Descriptor d;
  d.set_src(program::HBM);
  d.set_dst(program::VMEM);
  d.set_chunk(256);
  for (auto [count, src, dst] : {std::array<int64_t, 3>{3, 512, 1024}, {2, 4096, 8192}}) {
    d.add_counts(count);
    d.add_src_strides(src);
    d.add_dst_strides(dst);
  }
  program::Region region;
  region.set_space(program::VMEM);
  region.set_base(100);
  const CopyRange range = rangeOf(d, /*isSource=*/false, region, 5, -1);
  EXPECT_EQ(rowsOf(range),
            (std::set<int64_t>{105, 106, 113, 114, 121, 122, 169, 170, 177, 178, 185, 186}));
  EXPECT_EQ(rowsOf(rangeOf(d, false, region, 5, 1)), (std::set<int64_t>{105, 106, 169, 170}));
  EXPECT_TRUE(rangeOf(d, false, region, 5, 0).isEmpty());
}

} // namespace
} // namespace systole::verify
