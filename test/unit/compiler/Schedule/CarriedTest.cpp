// Loops whose loop-carried values become copies, and the effect on pipelining.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/MachineText.h"
#include "compiler/Schedule/OutOfSsa.h"
#include "compiler/Schedule/Pipeliner.h"
#include "test/unit/compiler/Schedule/Interpreter.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace systole::machine {
namespace {

class CarriedValues : public testing::Test {
protected:
  void read(llvm::StringRef text) {
    auto parsed = parse(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    module = *parsed;
    const std::vector<NodeId> &body = module.functions[0].body;
    loop = *std::find_if(body.begin(), body.end(), [&](NodeId n) {
      return module.functions[0].nodes[n].kind == Node::Kind::Loop;
    });
  }
  uint64_t state() {
    Interpreter interpreter(module);
    EXPECT_EQ(interpreter.run(), "");
    return interpreter.state();
  }

  Module module;
  NodeId loop = kNone;
};

constexpr char kSum[] = R"(
region "r" vmem 0 1024 ""
entry @main
routine @main() {
  loop 5 carried (%s0 = 0 -> %s1, %v0 = 3 -> %v2 => %v3) {
    block {
      %v1 = vld.b32 %s0, 1, m0, 0, 0
      %v2 = v.fadd %v0, %v1
      %s1 = s.add %s0, 8
    }
  }
  block { vst.b32 %v3, 512, 1, m0, 0, 0 }
})";

TEST_F(CarriedValues, ALoopInSsaFormIsACandidate) {
  read(kSum);
  EXPECT_TRUE(isPipelineCandidate(module.functions[0], loop));
}

// The copies hide loop-carried dependences.
TEST_F(CarriedValues, ALoopWithCopiesIsNone) {
  read(kSum);
  uint64_t before = state();
  lowerCarried(module.functions[0], [](NodeId) { return false; });
  EXPECT_EQ(state(), before);
  EXPECT_TRUE(module.functions[0].nodes[loop].carried.empty());
  EXPECT_FALSE(isPipelineCandidate(module.functions[0], loop));
}

// From the second iteration on the value is one from before the loop, which liveness does not see
// in a loop that keeps its loop-carried values.
TEST_F(CarriedValues, ALoopThatCarriesAnOuterValueIsNone) {
  read(R"(
region "r" vmem 0 1024 ""
entry @main
routine @main() {
  block { %v9 = vld.b32 0, 1, m0, 0, 0 }
  loop 5 carried (%v0 = 3 -> %v9) {
    block { vst.b32 %v0, 512, 1, m0, 0, 0 }
  }
})");
  EXPECT_FALSE(isPipelineCandidate(module.functions[0], loop));
}

// After five exchanges the two values are swapped; the last store belongs to the fifth.
TEST_F(CarriedValues, AnExchangeNeedsMoreThanOneCopy) {
  read(R"(
region "r" vmem 0 1024 ""
entry @main
routine @main() {
  loop 5 carried (%v0 = 3 -> %v1 => %v2, %v1 = 4 -> %v0 => %v3) {
    block { vst.b32 %v0, 0, 1, m0, 0, 0 }
  }
  block {
    vst.b32 %v2, 512, 1, m0, 0, 0
    vst.b32 %v3, 520, 1, m0, 0, 0
  }
})");
  lowerCarried(module.functions[0], [](NodeId) { return false; });
  uint64_t exchanged = state();
  auto expected = parse(R"(
region "r" vmem 0 1024 ""
entry @main
routine @main() {
  block {
    %v0 = v.mov 3
    %v1 = v.mov 4
    vst.b32 %v0, 0, 1, m0, 0, 0
    vst.b32 %v1, 512, 1, m0, 0, 0
    vst.b32 %v0, 520, 1, m0, 0, 0
  }
})");
  ASSERT_TRUE(expected.ok()) << expected.status();
  Interpreter interpreter(*expected);
  ASSERT_EQ(interpreter.run(), "");
  EXPECT_EQ(exchanged, interpreter.state());
}

} // namespace
} // namespace systole::machine
