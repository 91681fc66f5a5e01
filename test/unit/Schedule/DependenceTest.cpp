// Dependences of single blocks, written by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Dependence.h"
#include "compiler/Schedule/MachineText.h"
#include "runtime/Target/Target.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace systole::machine {
namespace {

class Dependences : public testing::Test {
protected:
  /// Whether instruction `to` of the only block waits for `from`.
  bool waits(llvm::StringRef text, uint32_t from, uint32_t to) {
    auto module = parse(text);
    EXPECT_TRUE(module.ok()) << module.status();
    const Function &f = module->functions[0];
    AddressAnalysis addresses(f);
    AliasAnalysis alias(*module, addresses);
    auto accesses = describeAccesses(f, addresses);
    Limits limits = Target::load("v3")->limits();
    DependenceContext context{*module, f, limits, alias, accesses};
    DependenceBuilder builder(context);
    DependenceGraph graph = builder.block(f.nodes[f.body[0]].insts, /*independent=*/false);
    auto edges = graph.from(from);
    return std::any_of(edges.begin(), edges.end(), [&](const Dependence &e) { return e.to == to; });
  }
};

TEST_F(Dependences, PushesOfAUnitAreFree) {
  EXPECT_FALSE(waits(R"(routine @main() { block {
    eup.exp %v1
    %v2 = eup.pop
    eup.exp %v0
    %v3 = eup.pop
  } })",
                     0, 2));
}

// If the second push went first, its result would stand in front of the first
// one, and its pop would wait for the first push, which may wait for a register.
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
