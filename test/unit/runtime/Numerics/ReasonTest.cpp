// Reasons of results that are not finite.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/Reason.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"

using namespace systole;
using namespace systole::numerics;

namespace {

HostArray pair(float first, float second) {
  HostArray array{"f32", {2}, std::vector<uint8_t>(8)};
  const float values[] = {first, second};
  std::memcpy(array.bytes.data(), values, sizeof values);
  return array;
}

// Of the second of two elements.
std::string reason(const char *operation, std::vector<float> operands, float result,
                   bool isElementwise = true) {
  FirstNonfinite first;
  first.operation.isElementwise = isElementwise;
  first.operation.operation = operation;
  first.result = pair(1, result);
  first.elements = {{1}};
  for (float operand : operands)
    first.operands.push_back({"", pair(1, operand)});
  return reasonOf(first);
}

TEST(Reason, IsThatOfTheElement) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  EXPECT_EQ(reason("stablehlo.divide", {0, 0}, nan), "0 / 0");
  EXPECT_EQ(reason("stablehlo.divide", {2, 0}, inf), "a division by 0");
  EXPECT_EQ(reason("stablehlo.divide", {inf, -inf}, nan), "an infinity divided by another");
  EXPECT_EQ(reason("stablehlo.log", {-1}, nan), "the logarithm of a negative number");
  EXPECT_EQ(reason("stablehlo.log", {0}, -inf), "the logarithm of 0");
  EXPECT_EQ(reason("stablehlo.sqrt", {-1}, nan), "the square root of a negative number");
  EXPECT_EQ(reason("stablehlo.rsqrt", {0}, inf), "1 divided by the square root of 0");
  EXPECT_EQ(reason("stablehlo.multiply", {0, inf}, nan), "0 times an infinity");
  EXPECT_EQ(reason("stablehlo.subtract", {inf, inf}, nan), "the difference of two infinities");
  EXPECT_EQ(reason("stablehlo.add", {inf, -inf}, nan), "the difference of two infinities");
  EXPECT_EQ(reason("stablehlo.power", {-2, 0.5}, nan),
            "a negative number to the power of a fraction");
  EXPECT_EQ(reason("stablehlo.exponential", {100}, inf),
            "the result is beyond the largest number of f32");
  EXPECT_EQ(reason("stablehlo.multiply", {nan, 1}, nan), "an operand is NaN");
  EXPECT_EQ(reason("stablehlo.add", {inf, 1}, inf), "");
  // A product or a sort has more than the element of each operand.
  EXPECT_EQ(reason("stablehlo.dot_general", {1, 0}, nan, false), "");
  EXPECT_EQ(reason("stablehlo.sort", {nan}, nan, false), "");
}

TEST(Reason, NeedsTheElementOfEachOperand) {
  FirstNonfinite first;
  first.operation.operation = "stablehlo.reduce";
  first.result = {"f32", {}, std::vector<uint8_t>(4)};
  first.elements = {{}};
  first.operands.push_back({"", pair(1, 2)});
  EXPECT_EQ(reasonOf(first), "");
  EXPECT_EQ(numberAt(first.operands[0], first, {}), std::nullopt);
  first.elements.clear();
  EXPECT_EQ(reasonOf(first), "");
}

} // namespace
