// The whole backend on random programs: results are unchanged, and the schedule verifier accepts
// them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Backend.h"
#include "compiler/Schedule/MachineText.h"
#include "dialects/Machine/Target/Target.h"
#include "test/unit/compiler/Schedule/Interpreter.h"
#include "test/unit/compiler/Schedule/RandomProgram.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

#include <algorithm>

namespace systole::machine {
namespace {

std::string text(const Module &module) {
  std::string out;
  llvm::raw_string_ostream os(out);
  print(os, module);
  return out;
}

class RandomPrograms : public testing::TestWithParam<int> {
protected:
  void check(const RandomOptions &random, const BackendOptions &options, uint64_t seed) {
    Module module = randomModule(seed, random);
    Interpreter before(module);
    std::string ended = before.run();
    // The generator may nest loops such that a program runs too long for a test.
    if (ended == "executes too long")
      return;
    ASSERT_EQ(ended, "") << "seed " << seed;
    Limits limits = Target::load("v3")->limits();
    absl::Status status = runBackend(module, limits, options, statistics);
    ASSERT_TRUE(status.ok()) << "seed " << seed << ": " << status << "\n"
                             << text(randomModule(seed, random));
    // Spilled values and copies take instructions of their own.
    Interpreter after(module, 16 * std::max<int64_t>(before.executed, 1000));
    ASSERT_EQ(after.run(), "") << "seed " << seed;
    ASSERT_EQ(before.state(), after.state()) << "seed " << seed << "\n"
                                             << text(randomModule(seed, random)) << "\n"
                                             << text(module);
  }

  Statistics statistics;
};

TEST_P(RandomPrograms, KeepTheirMeaning) {
  for (int i = 0; i < 20; ++i)
    check({}, {}, uint64_t(GetParam() * 1000 + i));
}

TEST_P(RandomPrograms, WithoutPipelining) {
  BackendOptions options;
  options.pipeline = false;
  for (int i = 0; i < 10; ++i)
    check({}, options, uint64_t(GetParam() * 1000 + i));
}

TEST_P(RandomPrograms, InProgramOrder) {
  BackendOptions options;
  options.firstMode = ScheduleMode::Ordered;
  for (int i = 0; i < 10; ++i)
    check({}, options, uint64_t(GetParam() * 1000 + i));
}

TEST_P(RandomPrograms, InMemory) {
  BackendOptions options;
  options.firstMode = ScheduleMode::InMemory;
  for (int i = 0; i < 10; ++i)
    check({}, options, uint64_t(GetParam() * 1000 + i));
}

TEST_P(RandomPrograms, WithTooManyLiveValues) {
  RandomOptions random;
  random.run = 120;
  random.items = 3;
  random.liveVectors = 70;
  for (int i = 0; i < 10; ++i)
    check(random, {}, uint64_t(GetParam() * 1000 + i));
}

TEST_P(RandomPrograms, OfStraightLoops) {
  RandomOptions random;
  random.innerLoopsOnly = true;
  random.calls = false;
  random.depth = 1;
  for (int i = 0; i < 30; ++i)
    check(random, {}, uint64_t(GetParam() * 1000 + i));
}

TEST_P(RandomPrograms, OfTwoStreams) {
  RandomOptions random;
  random.streams = true;
  random.depth = 2;
  for (int i = 0; i < 10; ++i)
    check(random, {}, uint64_t(GetParam() * 1000 + i));
  EXPECT_GT(statistics.sharedLoops, 0);
}

TEST_P(RandomPrograms, OfLoopsThatAreFused) {
  RandomOptions random;
  random.innerLoopsOnly = true;
  random.calls = false;
  random.depth = 1;
  random.items = 12;
  random.trips = 40;
  for (int run : {2, 5})
    for (int i = 0; i < 30; ++i) {
      random.run = run;
      check(random, {}, uint64_t(GetParam() * 1000 + i));
    }
  EXPECT_GT(statistics.fusedLoops, 0);
}

// Whether the last routine of a program has a pipelined loop; results must be unchanged.
bool isPipelined(const std::string &text, const Limits &limits) {
  auto module = parse(text);
  EXPECT_TRUE(module.ok()) << module.status();
  Interpreter before(*module);
  EXPECT_EQ(before.run(), "");
  Statistics statistics;
  absl::Status status = runBackend(*module, limits, {}, statistics);
  EXPECT_TRUE(status.ok()) << status;
  Interpreter after(*module);
  EXPECT_EQ(after.run(), "");
  EXPECT_EQ(before.state(), after.state());
  const Function &f = module->functions.back();
  return std::any_of(f.nodes.begin(), f.nodes.end(),
                     [](const Node &node) { return node.pipelined; });
}

Limits withInstructionMemory(int bundles) {
  Limits limits = Target::load("v3")->limits();
  limits.instructionMemoryBundles = bundles;
  return limits;
}

// 1200 scalars that are live at the same time and as many differences of them, in a loop: 7 in
// SMEM, 2393 in three vectors of 1024 cells. The interpreter's vectors have no lanes;
// test_index_streams.py compares results.
TEST(Backend, SpillsScalarsToVmemWhereSmemHasNoRoom) {
  constexpr int count = 1200;
  std::string text = R"(
region "words" smem 0 4096 ""
entry @main
routine @main() {
  loop 2 {
    block {
)";
  for (int i = 0; i < count; ++i)
    text += absl::StrCat("      %s", i, " = s.ld ", i, ", 0\n");
  for (int i = 0; i < count; ++i)
    text += absl::StrCat("      %s", count + i, " = s.sub %s", count - 1 - i, ", %s", i, "\n");
  for (int i = 0; i < count; ++i)
    text += absl::StrCat("      s.st %s", count + i, ", ", i, ", 0\n");
  text += "    }\n  }\n}\n";
  for (ScheduleMode mode :
       {ScheduleMode::Reordered, ScheduleMode::Ordered, ScheduleMode::InMemory}) {
    auto module = parse(text);
    ASSERT_TRUE(module.ok()) << module.status();
    Statistics statistics;
    BackendOptions options;
    options.firstMode = mode;
    options.leafWords = 7;
    absl::Status status = runBackend(*module, Target::load("v3")->limits(), options, statistics);
    ASSERT_TRUE(status.ok()) << status;
    const Function &f = module->functions.back();
    EXPECT_EQ(f.spillWords, 7);
    EXPECT_EQ(f.spillRows, 24);
  }
}

constexpr char kLoop[] = R"(
  loop 50 independent carried (%s0 = 0 -> %s1) {
    block {
      %v0 = vld.b32 %s0, 1, m0, 0, 0
      %v1 = v.fmul %v0, %v0
      vst.b32 %v1, %s0, 1, m0, 2048, 0
      %s1 = s.add %s0, 8
    }
  }
})";

// The pipelined loop needs more bundles than available; the plain one does not.
TEST(Backend, PipelinesOnlyWhatFitsTheInstructionMemory) {
  std::string text = std::string(R"(
region "r" vmem 0 4096 ""
entry @main
routine @main() {)") +
                     kLoop;
  EXPECT_TRUE(isPipelined(text, withInstructionMemory(16384)));
  EXPECT_FALSE(isPipelined(text, withInstructionMemory(132)));
}

// The entry is in the instruction memory as well: 600 instructions, each of which depends on the
// previous one, and the call.
TEST(Backend, LeavesRoomForTheEntryBesideARoutine) {
  std::string text = R"(
region "r" vmem 0 4096 ""
region "words" smem 0 8 ""
entry @main
routine @main() {
  block {
    %s0 = s.mov 1
)";
  for (int i = 0; i < 600; ++i)
    text += "    %s" + std::to_string(i + 1) + " = s.add %s" + std::to_string(i) + ", 1\n";
  text += R"(    s.st %s600, 0, 1
  }
  call @work()
}
routine @work() {)" +
          std::string(kLoop);
  EXPECT_TRUE(isPipelined(text, withInstructionMemory(1000)));
  EXPECT_FALSE(isPipelined(text, withInstructionMemory(800)));
}

// Eight pushes of 16 cycles through a FIFO of four results take at least 32 cycles of each
// iteration. Back to back, a fifth would find the FIFO full at any interval.
TEST(Backend, SpreadsPushesOverTheDepthOfTheirFifo) {
  std::string text = R"(
region "r" vmem 0 4096 ""
entry @main
routine @main() {
  loop 50 independent carried (%s0 = 0 -> %s1) {
    block {
      %v0 = vld.b32 %s0, 1, m0, 0, 0
)";
  for (int i = 1; i <= 8; ++i)
    text += absl::StrCat("      eup.exp %v0\n      %v", i, " = eup.pop\n");
  for (int i = 1; i < 8; ++i)
    text +=
        absl::StrCat("      %v", 8 + i, " = v.fadd %v", i == 1 ? 1 : 7 + i, ", %v", i + 1, "\n");
  text += R"(      vst.b32 %v15, %s0, 1, m0, 2048, 0
      %s1 = s.add %s0, 8
    }
  }
})";
  Limits limits = Target::load("v3")->limits();
  limits.eupFifoDepth = 4;
  EXPECT_TRUE(isPipelined(text, limits));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0, 8));

} // namespace
} // namespace systole::machine
