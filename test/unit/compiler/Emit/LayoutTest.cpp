// Bundles of scheduled routines: delays, control instructions and the lengths that they govern.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/CodeLayout.h"

#include "compiler/Schedule/MachineText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole::machine {
namespace {

using testing::ElementsAre;

class RoutineLayout : public testing::Test {
protected:
  RoutineLayout() {
    for (Limits::Latency &latency : limits.latencies)
      latency = {1, 1};
    options.entry = true;
  }

  /// The code of the first routine of a module.
  const RoutineCode &layOutText(llvm::StringRef text) {
    auto module = parse(text);
    EXPECT_TRUE(module.ok()) << module.status();
    code = layOutCode(module->functions[0], limits, options);
    return code;
  }

  std::vector<int> delays() const {
    std::vector<int> result;
    for (const isa::Bundle &bundle : code.bundles)
      result.push_back(bundle.delay);
    return result;
  }

  /// The instructions of each bundle.
  std::vector<std::vector<isa::Opcode>> opcodes() const {
    std::vector<std::vector<isa::Opcode>> result;
    for (const isa::Bundle &bundle : code.bundles) {
      result.emplace_back();
      for (const isa::Inst &inst : bundle.insts)
        result.back().push_back(inst.opcode);
    }
    return result;
  }

  int32_t operand(size_t bundle, size_t index) const {
    return code.bundles[bundle].insts[0].operands[index].value;
  }

  Limits limits;
  CodeLayoutOptions options;
  RoutineCode code;
};

using enum isa::Opcode;

TEST_F(RoutineLayout, TurnsEmptyCyclesIntoDelays) {
  layOutText(R"(
region "x" vmem 0 64 ""
routine @main() {
  block length 9 {
    [0] v0 = vld.b32 s0, 1, m0, 0, 0
    [4] v1 = v.fmul v0, v0
    [7] vst.b32 v1, s0, 1, m0, 0, 0
    [7] s0 = s.add s0, 8
  }
})");
  // Cycles 1 to 3, 5 and 6, and 8. `halt` takes the free scalar slot of the last bundle.
  EXPECT_THAT(delays(), ElementsAre(3, 2, 1));
  EXPECT_THAT(opcodes(), ElementsAre(ElementsAre(vld_b32), ElementsAre(v_fmul),
                                     ElementsAre(halt, s_add, vst_b32)));
}

TEST_F(RoutineLayout, EndsCalleesWithRet) {
  options.entry = false;
  layOutText("routine @f() { block length 1 { [0] s0 = s.mov 1 } }");
  EXPECT_THAT(opcodes(), ElementsAre(ElementsAre(ret, s_mov)));
}

TEST_F(RoutineLayout, StartsABlockThatBeginsLateWithAnEmptyBundle) {
  layOutText("routine @main() { block length 4 { [2] s0 = s.mov 1 } }");
  // Cycles 0 and 1 are an empty bundle and its delay; cycle 3 follows `s.mov`.
  EXPECT_THAT(delays(), ElementsAre(1, 1));
  EXPECT_THAT(opcodes(), ElementsAre(ElementsAre(), ElementsAre(halt, s_mov)));
}

TEST_F(RoutineLayout, SplitsDelaysThatOneBundleCannotHold) {
  layOutText("routine @main() { block length 70001 { [0] s0 = s.mov 1 [70000] s1 = s.mov 2 } }");
  // 1 + 65,535 + 1 + 4,463 cycles before cycle 70,000.
  EXPECT_THAT(delays(), ElementsAre(65535, 4463, 0));
}

TEST_F(RoutineLayout, CountsTheBundlesOfALoop) {
  layOutText(R"(
routine @main() {
  loop 50 {
    block length 6 {
      [0] s0 = s.mov 1
      [2] s1 = s.mov 2
    }
    loop 3 {
      block length 1 { [0] s2 = s.mov 3 }
    }
  }
})");
  // The inner `loop` shares the bundle of the second `s.mov`, whose delay of three cycles it keeps.
  EXPECT_THAT(opcodes(),
              ElementsAre(ElementsAre(loop), ElementsAre(s_mov), ElementsAre(loop, s_mov),
                          ElementsAre(s_mov), ElementsAre(halt)));
  EXPECT_THAT(delays(), ElementsAre(0, 1, 3, 0, 0));
  EXPECT_EQ(operand(0, 0), 50);
  EXPECT_EQ(operand(0, 1), 3); // bundles of the body
  EXPECT_EQ(operand(2, 0), 3);
  EXPECT_EQ(operand(2, 1), 1);
}

TEST_F(RoutineLayout, CountsTheBundlesOfBothArms) {
  layOutText(R"(
routine @main() {
  if s0 {
    block length 1 { [0] s1 = s.mov 1 }
  } else {
    block length 2 { [0] s1 = s.mov 2 [1] s2 = s.mov 3 }
  }
})");
  EXPECT_THAT(opcodes(), ElementsAre(ElementsAre(if_), ElementsAre(s_mov), ElementsAre(s_mov),
                                     ElementsAre(s_mov), ElementsAre(halt)));
  EXPECT_EQ(operand(0, 1), 1);
  EXPECT_EQ(operand(0, 2), 2);
}

TEST_F(RoutineLayout, PutsTheExitOfAWhileBehindItsCondition) {
  layOutText(R"(
routine @main() {
  while {
    block length 1 { [0] s1 = s.sub s1, 1 }
    exit s1
    block length 1 { [0] s2 = s.mov 1 }
  }
})");
  // `s.sub` takes a cycle, so that `exit` comes in a bundle of its own.
  EXPECT_THAT(opcodes(), ElementsAre(ElementsAre(while_), ElementsAre(s_sub), ElementsAre(exit),
                                     ElementsAre(s_mov), ElementsAre(halt)));
  EXPECT_EQ(operand(0, 0), 3);
}

TEST_F(RoutineLayout, WaitsForTheOperandOfAControlInstruction) {
  limits.latencies[size_t(isa::LatencyClass::smem_load)] = {4, 1};
  layOutText(R"(
region "n" smem 0 8 ""
routine @main() {
  block length 4 {
    [0] s0 = s.ld 0, 0
    [1] s1 = s.mov 1
  }
  loop s0 {
    block length 1 { [0] s2 = s.mov 3 }
  }
})");
  // `loop` issues in cycle 4, when s0 is there, three cycles after `s.mov`.
  EXPECT_THAT(opcodes(), ElementsAre(ElementsAre(s_ld), ElementsAre(s_mov), ElementsAre(loop),
                                     ElementsAre(s_mov), ElementsAre(halt)));
  EXPECT_THAT(delays(), ElementsAre(0, 2, 0, 0, 0));
}

TEST_F(RoutineLayout, LeavesOutControlOverNothing) {
  layOutText("routine @main() { loop 9 { if s0 { block length 0 { } } } }");
  EXPECT_THAT(opcodes(), ElementsAre(ElementsAre(halt)));
}

TEST_F(RoutineLayout, NamesTheRegionsOfSpillFrames) {
  options.spillRowsRegion = 5;
  options.spillWordsRegion = 6;
  layOutText(R"(
routine @main() {
  block length 1 {
    [0] v0 = vld.b32 0, 1, m0, 0, 4094
    [0] s0 = s.ld 0, 4095
  }
})");
  ASSERT_THAT(opcodes(), ElementsAre(ElementsAre(halt, s_ld, vld_b32)));
  EXPECT_EQ(code.bundles[0].insts[1].operands[2].value, 6);
  EXPECT_EQ(code.bundles[0].insts[2].operands[5].value, 5);
}

TEST_F(RoutineLayout, WaitsForTheOverlayOfACallAndBeginsToLoadTheNext) {
  OverlayUses overlays = {{{2, 1}, {3, 2}}, {0, 2, 0}};
  options.overlays = &overlays;
  layOutText(R"(
entry @main
kernel "k" "" "" 0 0
routine @main() {
  call @resident()
  call @swapped() kernel 0
  call @next()
}
routine @resident() { }
routine @swapped() { }
routine @next() { }
)");
  EXPECT_THAT(opcodes(), ElementsAre(ElementsAre(call), ElementsAre(overlay),
                                     ElementsAre(overlay_start), ElementsAre(call),
                                     ElementsAre(overlay), ElementsAre(call), ElementsAre(halt)));
  EXPECT_EQ(operand(1, 0), 1);
  EXPECT_EQ(operand(2, 0), 2);
  EXPECT_EQ(operand(4, 0), 2);
  ASSERT_EQ(code.calls.size(), 3u);
  EXPECT_EQ(code.calls[0].callee, 1u);
  EXPECT_EQ(code.calls[0].bundle, 0u);
  EXPECT_EQ(code.calls[0].kernel, -1);
  EXPECT_EQ(code.calls[1].callee, 2u);
  EXPECT_EQ(code.calls[1].bundle, 3u);
  EXPECT_EQ(code.calls[1].kernel, 0);
}

TEST_F(RoutineLayout, NotesTheLoopsThatRepeatCalls) {
  layOutText(R"(
routine @main() {
  call @f()
  while { loop 9 { call @f() call @f() } loop 9 { block length 1 { } } exit s0 call @f() }
}
routine @f() { }
)");
  ASSERT_EQ(code.calls.size(), 4u);
  ASSERT_EQ(code.loops.size(), 2u);
  EXPECT_EQ(code.loops[0].begin, 1u);
  EXPECT_EQ(code.loops[0].end, 4u);
  EXPECT_EQ(code.loops[1].begin, 1u);
  EXPECT_EQ(code.loops[1].end, 3u);
}

} // namespace
} // namespace systole::machine
