// Sets of sources of unknown values.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Origins.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace systole::emulation;
using testing::ElementsAre;

namespace {

using Source = Origins::Source;
constexpr auto kRegion = Source::Kind::Region, kKernel = Source::Kind::Kernel;

TEST(Origins, AreSets) {
  Origins origins;
  const Origin a = origins.ofRegion(3), b = origins.ofKernel(3), c = origins.ofKernel(-1);
  EXPECT_EQ(origins.ofRegion(3), a);
  EXPECT_NE(a, b);
  EXPECT_EQ(origins.join(a, kKnown), a);
  EXPECT_EQ(origins.join(kKnown, a), a);
  EXPECT_EQ(origins.join(a, a), a);
  const Origin ab = origins.join(a, b);
  EXPECT_EQ(origins.join(b, a), ab);
  EXPECT_EQ(origins.join(ab, a), ab);
  EXPECT_EQ(origins.join(origins.join(c, b), a), origins.join(ab, c));
  EXPECT_THAT(origins.sources(origins.join(ab, c)),
              ElementsAre(Source{kRegion, 3}, Source{kKernel, -1}, Source{kKernel, 3}));
}

TEST(Origins, NeverKnownIsNeverKnown) {
  Origins origins;
  EXPECT_EQ(origins.join(kNever, origins.ofRegion(0)), kNever);
  EXPECT_EQ(origins.join(kKnown, kNever), kNever);
  EXPECT_TRUE(origins.sources(kNever).empty());
}

TEST(Origins, AreBounded) {
  Origins origins;
  Origin many = kKnown;
  for (int i = 0; i < 64; ++i)
    many = origins.join(many, origins.ofRegion(i));
  EXPECT_EQ(origins.sources(many).size(), 64u);
  EXPECT_EQ(origins.join(many, origins.ofRegion(64)), kNever);
  for (int i = 0; i < 100000; ++i)
    many = origins.ofKernel(i);
  EXPECT_EQ(many, kNever);
  EXPECT_NE(origins.ofKernel(0), kNever);
}

} // namespace
