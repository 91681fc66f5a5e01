// Dependences of single handwritten blocks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Dependence.h"
#include "compiler/Schedule/MachineText.h"
#include "dialects/Machine/Target/Target.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace systole::machine {
namespace {

class Dependences : public testing::Test {
protected:
  /// Whether instruction `to` of the only block depends on `from`.
  bool waits(llvm::StringRef text, uint32_t from, uint32_t to) {
    return latency(text, from, to).has_value();
  }

  /// The latency of the dependence of `to` on `from`, if there is one.
  std::optional<int> latency(llvm::StringRef text, uint32_t from, uint32_t to) {
    auto module = parse(text);
    EXPECT_TRUE(module.ok()) << module.status();
    const Function &f = module->functions[0];
    AddressAnalysis addresses(f);
    AliasAnalysis alias(*module, addresses);
    auto accesses = describeAccesses(f, addresses);
    DependenceContext context{*module, f, limits, alias, accesses};
    DependenceBuilder builder(context);
    DependenceGraph graph = builder.block(f.nodes[f.body[0]].insts, /*independent=*/false);
    std::optional<int> cycles;
    for (const Dependence &e : graph.from(from))
      if (e.to == to)
        cycles = std::max(cycles.value_or(0), int(e.latency));
    return cycles;
  }

  Limits limits = Target::load("v3")->limits();
};

// The MXU has its weights `cycles` after a swap, and the latch is free after the swap's interval.
TEST_F(Dependences, LatchesAndPushesFollowASwap) {
  limits.latencies[size_t(isa::LatencyClass::mxu_swap)] = {3, 7};
  llvm::StringRef text = R"(routine @main() { block {
    mxu.swap 128, 128, 0
    mxu.latch %v0, 0, 0
    mxu.push %v1, 8, 0
    %v1 = mxu.pop 0
  } })";
  EXPECT_EQ(latency(text, 0, 1), 7);
  EXPECT_EQ(latency(text, 0, 2), 3);
}

TEST_F(Dependences, PushesOfAUnitAreFree) {
  EXPECT_FALSE(waits(R"(routine @main() { block {
    eup.exp %v1
    %v2 = eup.pop
    eup.exp %v0
    %v3 = eup.pop
  } })",
                     0, 2));
}

// If the second push came first, its result would precede that of the first one, and its pop would
// wait for the first push, which may wait for a register.
TEST_F(Dependences, PushesStayInOrderWhereAPopWaitsForAnotherPush) {
  EXPECT_TRUE(waits(R"(routine @main() { block {
    eup.exp %v1
    %v2 = eup.pop
    eup.exp %v0
    %v1 = eup.pop
  } })",
                    0, 2));
}

} // namespace
} // namespace systole::machine
