// Whether accesses in different iterations of a loop may overlap.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Address.h"
#include "compiler/Schedule/MachineText.h"

#include "gtest/gtest.h"

namespace systole::machine {
namespace {

/// The distance from the loop's store to its load.
std::optional<int64_t> distance(const std::string &address, const std::string &loadOffset,
                                bool equalOrDisjoint) {
  auto module = parse(R"(
region "r" vmem 0 1024 ""
routine @main() {
  loop 8 carried (%s0 = 0 -> %s1) {
    block {
      %s2 = )" + address +
                      R"(
      %v0 = vld.b32 %s2, 1, m0, )" +
                      loadOffset + R"(, 0
      vst.b32 %v0, %s2, 1, m0, 0, 0
      %s1 = s.add %s0, 1
    }
  }
})");
  EXPECT_TRUE(module.ok()) << module.status();
  const Function &f = module->functions[0];
  AddressAnalysis addresses(f);
  AliasAnalysis alias(*module, addresses);
  auto accesses = describeAccesses(f, addresses);
  const std::vector<InstId> &insts = f.nodes[f.nodes[f.body[0]].body[0]].insts;
  return alias.carriedDistance(
      accesses[insts[2]], accesses[insts[1]], [&](RegId r) { return r != kAllOnes; },
      equalOrDisjoint);
}

TEST(CarriedDistance, OfAddressesThatGrow) {
  EXPECT_EQ(distance("s.mul %s0, 8", "0", false), std::nullopt);
  // Eight rows ahead is where the second next iteration stores.
  EXPECT_EQ(distance("s.mul %s0, 4", "0", false), 1);
  EXPECT_EQ(distance("s.mul %s0, 8", "-16", false), 2);
}

TEST(CarriedDistance, OfAddressesThatNobodyKnows) {
  EXPECT_EQ(distance("s.shr %s0, 2", "0", false), 1);
  EXPECT_EQ(distance("s.shr %s0, 2", "8", false), 1);
}

// At the same address the access overlaps itself, but not its neighbour.
TEST(CarriedDistance, OfAddressesThatAreEqualOrDisjoint) {
  EXPECT_EQ(distance("s.shr %s0, 2", "0", true), 1);
  EXPECT_EQ(distance("s.shr %s0, 2", "7", true), 1);
  EXPECT_EQ(distance("s.shr %s0, 2", "8", true), std::nullopt);
}

/// Whether two accesses of eight rows at distance `stride`, the second from row `second`, may
/// overlap in one iteration.
bool meet(const char *opcode, int stride, int second) {
  std::string s = std::to_string(stride), from = std::to_string(second);
  auto module = parse(R"(
region "r" vmem 0 1024 ""
routine @main() {
  block {
    %v0 = vld.b32 0, 1, m0, 0, 0
    )" + std::string(opcode) +
                      " %v0, 0, " + s + R"(, m0, 0, 0
    )" + opcode + " %v0, " +
                      from + ", " + s + R"(, m0, 0, 0
  }
})");
  EXPECT_TRUE(module.ok()) << module.status();
  const Function &f = module->functions[0];
  AddressAnalysis addresses(f);
  AliasAnalysis alias(*module, addresses);
  auto accesses = describeAccesses(f, addresses);
  const std::vector<InstId> &insts = f.nodes[f.body[0]].insts;
  return alias.mayOverlap(accesses[insts[1]], accesses[insts[2]]);
}

TEST(Overlap, OfStridedRows) {
  EXPECT_TRUE(meet("vst.b32", 4, 0));
  EXPECT_FALSE(meet("vst.b32", 4, 1));
  EXPECT_FALSE(meet("vst.b32", 4, 3));
  EXPECT_TRUE(meet("vst.b32", 4, 8));
  EXPECT_TRUE(meet("vst.b32", 4, -4));
  EXPECT_FALSE(meet("vst.b32", 4, 32));
}

// Two rows of bf16 share a physical one.
TEST(Overlap, OfStridedNarrowRows) {
  EXPECT_TRUE(meet("vst.bf16", 4, 1));
  EXPECT_FALSE(meet("vst.bf16", 4, 2));
  EXPECT_TRUE(meet("vst.bf16", 4, 3));
}

} // namespace
} // namespace systole::machine
