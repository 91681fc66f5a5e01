// Arrays as text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/PrintArray.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

template <typename T>
HostArray make(const std::string &dtype, std::vector<int64_t> dims, const std::vector<T> &values) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
  return HostArray{dtype, std::move(dims), {bytes, bytes + values.size() * sizeof(T)}};
}

TEST(PrintArray, AlignsColumns) {
  EXPECT_EQ(formatArray(make<int32_t>("i32", {2, 3}, {1, -20, 3, 400, 5, 6})), "[[  1 -20   3]\n"
                                                                               " [400   5   6]]");
}

TEST(PrintArray, SeparatesMatricesByAnEmptyLine) {
  EXPECT_EQ(formatArray(make<int8_t>("i8", {2, 2, 1}, {1, 2, 3, -4})), "[[[ 1]\n"
                                                                       "  [ 2]]\n"
                                                                       "\n"
                                                                       " [[ 3]\n"
                                                                       "  [-4]]]");
}

TEST(PrintArray, ShowsScalarsAndNothing) {
  EXPECT_EQ(formatArray(make<float>("f32", {}, {2.5f})), "2.5");
  EXPECT_EQ(formatArray(make<float>("f32", {0, 3}, {})), "[]");
}

TEST(PrintArray, ShowsFloatsThatReadBackTheSame) {
  EXPECT_EQ(formatArray(make<float>("f32", {7}, {0.1f, 1, -0.0f, 1e30f, NAN, INFINITY, -INFINITY})),
            "[  0.1    1.   -0. 1e+30   nan   inf  -inf]");
}

TEST(PrintArray, ShowsNarrowFloats) {
  EXPECT_EQ(formatArray(make<uint16_t>("bf16", {3}, {0x3f80, 0xc060, 0x7f80})), "[  1. -3.5  inf]");
  // One, the largest value, the smallest denormal, minus infinity.
  EXPECT_EQ(formatArray(make<uint16_t>("f16", {4}, {0x3c00, 0x7bff, 0x0001, 0xfc00})),
            "[      1. 6.55e+04 5.96e-08     -inf]");
}

TEST(PrintArray, ShowsFloatsOfAByte) {
  auto text = [](const char *dtype, std::vector<uint8_t> bits) {
    return formatArray(make<uint8_t>(dtype, {int64_t(bits.size())}, bits));
  };
  // The largest and smallest number, one or minus one, and the values behind the largest.
  EXPECT_EQ(text("f8E4M3FN", {0x7e, 0x81, 0xb8, 0x7f}),
            "[     448. -0.001953       -1.       nan]");
  EXPECT_EQ(text("f8E5M2", {0x7b, 0x01, 0x3c, 0xfc, 0x7e}),
            "[5.734e+04 1.526e-05        1.      -inf       nan]");
  EXPECT_EQ(text("f8E4M3FNUZ", {0x7f, 0x01, 0x40, 0x80}),
            "[     240. 0.0009766        1.       nan]");
  EXPECT_EQ(text("f8E4M3B11FNUZ", {0x7f, 0x58}), "[30.  1.]");
  EXPECT_EQ(text("f8E8M0FNU", {0x7f, 0x80, 0xff}), "[ 1.  2. nan]");
  EXPECT_EQ(text("f6E3M2FN", {0x1f, 0x21}), "[    28. -0.0625]");
  EXPECT_EQ(text("f4E2M1FN", {7, 15, 1}), "[ 6. -6. 0.5]");
}

TEST(PrintArray, ShowsEveryIntegerType) {
  EXPECT_EQ(formatArray(make<uint8_t>("i4", {3}, {7, 8, 15})), "[ 7 -8 -1]");
  EXPECT_EQ(formatArray(make<uint8_t>("ui2", {2}, {1, 3})), "[1 3]");
  EXPECT_EQ(formatArray(make<uint8_t>("ui8", {1}, {255})), "[255]");
  EXPECT_EQ(formatArray(make<int16_t>("i16", {1}, {-32768})), "[-32768]");
  EXPECT_EQ(formatArray(make<uint16_t>("ui16", {1}, {65535})), "[65535]");
  EXPECT_EQ(formatArray(make<uint32_t>("ui32", {1}, {4294967295})), "[4294967295]");
  EXPECT_EQ(formatArray(make<uint8_t>("i1", {2}, {0, 1})), "[False  True]");
}

TEST(PrintArray, ShowsTheEdgesOfLargeArrays) {
  std::vector<int32_t> values(2000);
  for (int i = 0; i < 2000; ++i)
    values[i] = i;
  EXPECT_EQ(formatArray(make<int32_t>("i32", {2000}, values)),
            "[   0    1    2 ... 1997 1998 1999]");
  EXPECT_EQ(formatArray(make<int32_t>("i32", {2, 1000}, values)),
            "[[   0    1    2 ...  997  998  999]\n"
            " [1000 1001 1002 ... 1997 1998 1999]]");
  EXPECT_EQ(formatArray(make<int32_t>("i32", {1000, 2}, values)), "[[   0    1]\n"
                                                                  " [   2    3]\n"
                                                                  " [   4    5]\n"
                                                                  " ...\n"
                                                                  " [1994 1995]\n"
                                                                  " [1996 1997]\n"
                                                                  " [1998 1999]]");
}

TEST(PrintArray, ShowsTheEdgesOfLongLines) {
  EXPECT_EQ(formatArray(make<int8_t>("i8", {2, 50}, std::vector<int8_t>(100, 7))),
            "[[7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 "
            "7 7 7 7 "
            "7 7 7 7]\n"
            " [7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 "
            "7 7 7 7 "
            "7 7 7 7]]");
  EXPECT_EQ(formatArray(make<int8_t>("i8", {51}, std::vector<int8_t>(51, 7))), "[7 7 7 ... 7 7 7]");
}

} // namespace
} // namespace systole
