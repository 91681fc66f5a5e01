// Sizes of elements and shapes, and their limits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Layout/ElementTypes.h"

#include <gtest/gtest.h>

#include <vector>

namespace systole {
namespace {

TEST(ElementTypes, HaveTheBitsOfTheDevice) {
  EXPECT_EQ(elementBits("f32"), 32);
  EXPECT_EQ(elementBits("bf16"), 16);
  EXPECT_EQ(elementBits("ui8"), 8);
  EXPECT_EQ(elementBits("i64"), 64);
  EXPECT_EQ(elementBits("complex<f32>"), 64);
  EXPECT_EQ(elementBits("complex<f64>"), 128);
  // A byte that is 0 or 1.
  EXPECT_EQ(elementBits("i1"), 8);
  EXPECT_EQ(elementBits("i4"), 8);
  EXPECT_EQ(elementBits("f8E4M3FN"), 8);
  EXPECT_EQ(elementBits("f6E3M2FN"), 8);
  EXPECT_EQ(elementBits("f8"), std::nullopt);
  EXPECT_EQ(elementBits(""), std::nullopt);
}

TEST(ElementTypes, FillAByteInPart) {
  EXPECT_EQ(valueBits("ui2"), 2);
  EXPECT_EQ(valueBits("f4E2M1FN"), 4);
  EXPECT_EQ(valueBits("f6E2M3FN"), 6);
  EXPECT_EQ(valueBits("i8"), 8);
}

TEST(ElementTypes, CountElementsUpToALimit) {
  auto count = [](std::vector<int64_t> dims) { return elementCount(dims); };
  EXPECT_EQ(count({}), 1);
  EXPECT_EQ(count({3, 5, 7}), 105);
  EXPECT_EQ(count({int64_t(1) << 48}), int64_t(1) << 48);
  EXPECT_EQ(count({(int64_t(1) << 48) + 1}), std::nullopt);
  // Products that wrap around to a small number.
  EXPECT_EQ(count({int64_t(1) << 32, int64_t(1) << 32}), std::nullopt);
  EXPECT_EQ(count({2, -1}), std::nullopt);
  EXPECT_EQ(count({5, 0, 7}), 0);
  // The other dimensions of an empty tensor are bounded as well.
  EXPECT_EQ(count({0, (int64_t(1) << 48) + 1}), std::nullopt);
}

} // namespace
} // namespace systole
