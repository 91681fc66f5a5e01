// Primitives of the model against cycles worked out by hand from the description of v3.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/MachineModel.h"
#include "dialects/Machine/Target/Target.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

MachineModel v3() { return MachineModel(*Target::load("v3")); }

TEST(MachineModel, StartsIterationsAsOftenAsTheBusiestSlotAllows) {
  Work work;
  work.vector = 3; // two a bundle
  work.load = 3;
  work.store = 1;
  work.chain = 10;
  EXPECT_EQ(v3().issue(work), 3);
  // The last iteration starts 9 * 3 cycles after the first and has 3 loads before its chain ends.
  EXPECT_EQ(v3().pipeline(work, 10), 9 * 3 + 10 + 3 - 1);
  EXPECT_EQ(v3().pipeline(work, 0), 0);
}

TEST(MachineModel, KeepsIterationsApartThatDependOnEachOther) {
  Work work;
  work.load = 1;
  work.chain = 6;
  EXPECT_EQ(v3().pipeline(work, 100, /*recurrence=*/2), 99 * 2 + 6);
}

TEST(MachineModel, KeepsIterationsApartOfWhichTheBodyIsLong) {
  Work work;
  work.vector = 400;
  double slots = v3().issue(work);
  EXPECT_EQ(v3().registerBound(work, 300), slots);
  EXPECT_EQ(v3().registerBound(work, 300 + 1500), 2 * slots);
}

TEST(MachineModel, CountsUnitsThatArePushedEveryFewCycles) {
  // Division takes the transcendental unit for 4 cycles, and 32 until its result.
  Work work = v3().arithmetic({1, 1, 0, 0, 2}, {1, 1, 0, 0, 1});
  EXPECT_EQ(work.eup, 8);
  EXPECT_EQ(work.push, 2);
  EXPECT_EQ(work.chain, 2 + 3 + 32 + 2);
  EXPECT_EQ(v3().issue(work), 8);
}

TEST(MachineModel, TakesTheLongerOfLatchesAndPushes) {
  // Sixteen groups of weights, eight cycles each, and two for the swap.
  EXPECT_EQ(v3().productStep(4, 16), 130);
  EXPECT_EQ(v3().productStep(32, 16), 256);
  EXPECT_EQ(v3().productStep(4, 2), 32);
  // A FIFO of 32 has room for 4 pushes of 8 results, each of which takes 136 cycles.
  EXPECT_EQ(v3().productStep(4, 2, 8), 4 * 136 / 4);
  EXPECT_EQ(v3().pushDrain(), 136 + 2);
}

TEST(MachineModel, DividesBytesByTheRateOfHbm) {
  // 900 GB/s of two cores at 940 MHz: 478.7 bytes a cycle.
  EXPECT_EQ(v3().channel(512, 100), 107);
  // A chunk of less than a row counts as one.
  EXPECT_EQ(v3().channel(64, 100), 107);
  EXPECT_EQ(v3().localChannel(1024, 10), 20);
}

TEST(MachineModel, CountsScalarsByTwo) {
  EXPECT_EQ(v3().scalar(5, 0), 3);
  EXPECT_EQ(v3().scalar(5, 4), 4);
}

TEST(MachineModel, TransposesABlockRowByRow) {
  Work work = v3().transpose(16, 16);
  EXPECT_EQ(work.xlu, 128);
  EXPECT_EQ(work.chain, 128 + 32 + 16);
}

TEST(MachineModel, AddsWork) {
  Work load = v3().load(), store = v3().store(), both = load;
  both += store;
  EXPECT_EQ(both.load, 1);
  EXPECT_EQ(both.store, 1);
  EXPECT_EQ(both.chain, 4 + 1);
  EXPECT_EQ((both * 3).load, 3);
  EXPECT_EQ((both * 3).chain, both.chain) << "copies do not depend on each other";
}

} // namespace
} // namespace systole
