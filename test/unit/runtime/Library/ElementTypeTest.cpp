// Element types: all of StableHLO have a name and a number.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "systole/element_type.h"

#include <gtest/gtest.h>

#include "systole/systole.h"

namespace systole {
namespace {

constexpr int kLast = int(ElementType::Token);

TEST(ElementType, NamesGoThereAndBack) {
  for (int value = 1; value <= kLast; ++value)
    EXPECT_EQ(elementTypeFromName(elementTypeName(ElementType(value))), ElementType(value))
        << value;
  EXPECT_EQ(elementTypeName(ElementType(kLast + 1)), "");
  EXPECT_EQ(elementTypeName(ElementType(-1)), "");
  EXPECT_EQ(elementTypeFromName("f33"), ElementType::Invalid);
}

TEST(ElementType, BothInterfacesHaveTheSameNumbers) {
  EXPECT_EQ(elementTypeName(ElementType(SYSTOLE_I1)), "i1");
  EXPECT_EQ(elementTypeName(ElementType(SYSTOLE_UI64)), "ui64");
  EXPECT_EQ(elementTypeName(ElementType(SYSTOLE_F4E2M1FN)), "f4E2M1FN");
  EXPECT_EQ(elementTypeName(ElementType(SYSTOLE_F8E4M3B11FNUZ)), "f8E4M3B11FNUZ");
  EXPECT_EQ(elementTypeName(ElementType(SYSTOLE_BF16)), "bf16");
  EXPECT_EQ(elementTypeName(ElementType(SYSTOLE_TF32)), "tf32");
  EXPECT_EQ(elementTypeName(ElementType(SYSTOLE_COMPLEX_F64)), "complex<f64>");
  EXPECT_EQ(elementTypeName(ElementType(SYSTOLE_TOKEN)), "token");
}

TEST(ElementType, Sizes) {
  EXPECT_EQ(elementBytes(ElementType::I1), 1);
  EXPECT_EQ(elementBytes(ElementType::BF16), 2);
  EXPECT_EQ(elementBytes(ElementType::F8E8M0FNU), 1);
  EXPECT_EQ(elementBytes(ElementType::ComplexF64), 16);
  for (ElementType type : {ElementType::I2, ElementType::I4, ElementType::UI2, ElementType::UI4,
                           ElementType::F4E2M1FN, ElementType::F6E2M3FN, ElementType::F6E3M2FN})
    EXPECT_EQ(elementBytes(type), 1) << elementTypeName(type);
  for (ElementType type : {ElementType::TF32, ElementType::Token, ElementType::Invalid})
    EXPECT_EQ(elementBytes(type), 0) << elementTypeName(type);
}

} // namespace
} // namespace systole
