// The executor with plans beside the interpreter: the same state at any cycle, the same results,
// cycles and traps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "test/unit/runtime/Emulator/BothExecutors.h"
#include "test/unit/runtime/Emulator/Mutations.h"
#include "test/unit/runtime/Emulator/RandomProgram.h"
#include "test/unit/runtime/Emulator/Samples.h"
#include "test/unit/runtime/Emulator/TextProgram.h"

using namespace systole;
using namespace systole::test;

namespace {

// The text of a program with declarations and a body, whose results are rows of a region of VMEM.
std::string programOf(const char *declarations, char region, int rows, const std::string &body) {
  return absl::StrFormat(R"(.program test
%s.region y hbm %d
.descriptor out vmem to hbm chunk %d
routine main {
%s  dma.start dst=0, src=0, dstRegion=y, srcRegion=%c, descriptor=out, flag=0
  wait 1, flag=0
  halt
}
)",
                         declarations, rows, rows * isa::kLanes, body, region);
}

// How cells are computed.
struct Way {
  int threads;
  bool everyPart; // has a plan, also where that does not pay, as users do not have it
};

// Returns whether the program ends without a trap; `statistics` of its third run.
bool lockstep(const Program &program, Way way, std::mt19937 &random, const char *target = "v2",
              RunStats *statistics = nullptr) {
  auto both = BothExecutors::create(program, *Target::load(target), way.threads,
                                    {.everyPart = way.everyPart});
  if (!both.ok()) {
    EXPECT_EQ(both.status().code(), absl::StatusCode::kInvalidArgument) << both.status();
    return false;
  }
  // The first run finds no plans, and the last ones find all.
  for (int run = 0; run < 3; ++run)
    EXPECT_EQ(both->run(), "");
  const RunStats third = both->statistics();
  if (statistics)
    *statistics = third;
  EXPECT_EQ(both->runInSteps(random, 400), "");
  // Blocks that were interrupted keep their plans.
  EXPECT_EQ(both->run(), "");
  EXPECT_GE(both->statistics().plannedInstructions, third.plannedInstructions);
  return !both->hasTrapped();
}

class Lockstep : public testing::TestWithParam<Way> {
protected:
  // A program that was written by hand, which ends without a trap.
  void expectLockstep(const std::string &text, const char *target = "v2") {
    std::mt19937 random(4);
    absl::StatusOr<Program> program = assemble(text, "test");
    ASSERT_TRUE(program.ok()) << program.status();
    EXPECT_TRUE(lockstep(*program, GetParam(), random, target, &statistics));
    if (GetParam().everyPart) {
      EXPECT_GT(statistics.plannedInstructions, 0);
    }
  }
  RunStats statistics;
};

INSTANTIATE_TEST_SUITE_P(Ways, Lockstep,
                         testing::Values(Way{1, true}, Way{2, true}, Way{5, true}, Way{1, false},
                                         Way{2, false}));

TEST_P(Lockstep, Samples) {
  std::mt19937 random(1);
  for (const char *text : kSamples)
    lockstep(*assemble(text, "sample"), GetParam(), random);
}

// More of them: SYSTOLE_LOCKSTEP_SEEDS=5000.
void lockstepOfRandomPrograms(const char *target, Way way) {
  std::mt19937 random(2);
  const char *more = std::getenv("SYSTOLE_LOCKSTEP_SEEDS");
  const int programs = more ? std::atoi(more) : 120;
  const bool isWide = Target::load(target)->mxuSize() > 128;
  int ended = 0;
  int64_t planned = 0;
  for (int seed = 0; seed < programs; ++seed) {
    const std::string text =
        RandomProgram(uint32_t(way.threads + 8 * seed + (way.everyPart ? 0 : 5)), isWide).text();
    absl::StatusOr<Program> program = assemble(text, "random");
    ASSERT_TRUE(program.ok()) << program.status() << "\n" << text;
    RunStats statistics;
    ended += lockstep(*program, way, random, target, &statistics);
    planned += statistics.plannedInstructions;
    if (testing::Test::HasFailure()) {
      FAIL() << "seed " << seed << "\n" << text;
    }
  }
  // Few have a pop that comes too early, or an address outside.
  EXPECT_GT(ended, programs * 8 / 10);
  EXPECT_GT(planned, 50 * programs);
}

TEST_P(Lockstep, RandomPrograms) { lockstepOfRandomPrograms("v2", GetParam()); }

TEST_P(Lockstep, RandomProgramsOfWideMxus) { lockstepOfRandomPrograms("v6e", GetParam()); }

// Products of as many tiles, but of other ones, are not computed together.
TEST_P(Lockstep, WidePushesOfDifferentShapes) {
  std::string text = R"(  v1 = v.lane
  v2 = v.sublane delay 4
  v1 = v.cvt.s32.f32 v1 delay 9
  v2 = v.cvt.s32.f32 v2 delay 9
)";
  for (int group = 0; group < 64; ++group)
    absl::StrAppend(&text, "  v3 = v.fadd v1, ", group, ".5 delay 4\n  mxu.latch v3, ", group,
                    " delay 10\n");
  text += R"(  mxu.swap 256, 256 delay 300
  loop 3 {
    mxu.push.wide v1, v2, 8, 2, 1, mxu=0 delay 20
    mxu.push.wide v1, v2, 8, 1, 2, mxu=0 delay 300
)";
  for (int i = 0; i < 4; ++i)
    absl::StrAppend(&text, "    v4 = mxu.pop delay 4\n    vst.b32 v4, ", 8 * i,
                    ", region=b delay 4\n");
  text += R"(  }
)";
  expectLockstep(programOf(".bundle valu 2 vload 2 push 2 pop 2 immediates 6\n.region b vmem 32\n",
                           'b', 32, text),
                 "v6e");
}

// The first row of the store would be before the region, and is not stored.
TEST_P(Lockstep, RowsThatAMaskLeavesOut) {
  std::string text = R"(  v1 = v.lane
  v2 = v.sublane delay 4
  m1 = v.ne v2, 0 delay 4
  loop 4 {
    vst.b32 v1, -3, 3, region=a, mask=m1 delay 9
    v3 = vld.b32 0, 3, region=a delay 9
)";
  for (int i = 0; i < 20; ++i)
    text += "    v1 = v.add v1, v3 delay 4\n";
  text += R"(  }
  vst.b32 v1, 0, region=a delay 9
)";
  expectLockstep(programOf(".target v2\n.region a vmem 64\n", 'a', 64, text));
}

// A block without a plan sets the mask under which the next one, which has one, stores.
TEST_P(Lockstep, MasksOfInterpretedBlocks) {
  std::string text = R"(  v1 = v.lane
  v2 = v.sublane delay 4
  s1 = s.mov 0 delay 4
  loop 8 {
    m1 = v.lt v2, s1 delay 4
    loop 2 {
)";
  for (int i = 0; i < 8; ++i)
    absl::StrAppend(&text, "      xlu.rotate v1, ", i, " delay 60\n      v3 = xlu.pop delay 4\n",
                    "      v1 = v.add v1, v3 delay 4\n");
  text += R"(      vst.b32 v1, 0, 1, region=a, mask=m1 delay 9
    }
    s1 = s.add s1, 1 delay 4
  }
)";
  expectLockstep(programOf(".target v2\n.region a vmem 16\n", 'a', 16, text));
  EXPECT_GT(statistics.plannedInstructions, 0);
  EXPECT_GT(statistics.otherInstructions, 0);
}

// A block without a plan reads what threads compute for the block before it.
TEST_P(Lockstep, ResultsOfASharedPartInAnInterpretedBlock) {
  std::string text = R"(  v1 = v.lane delay 4
  loop 300 {
    loop 1 {
)";
  for (int i = 0; i < 60; ++i)
    absl::StrAppend(&text, "      v1 = v.add v1, ", i, " delay 4\n");
  text += R"(    }
    v2 = v.xor v2, v1 delay 4
  }
  vst.b32 v2, 0, region=a delay 9
)";
  expectLockstep(programOf(".target v2\n.region a vmem 16\n", 'a', 16, text));
  EXPECT_GT(statistics.plannedInstructions, 0);
  EXPECT_GT(statistics.otherInstructions, 0);
}

// Weights and rows of products are read where they are in VMEM, whatever their strides.
TEST_P(Lockstep, ProductsOfRowsInPlace) {
  std::string text = R"(  v1 = v.lane
  s1 = s.mov 0 delay 4
  v1 = v.cvt.s32.f32 v1 delay 9
  loop 18 {
    { vst.b32 v1, s1, region=a
      s1 = s.add s1, 8 }
    v1 = v.fadd v1, 3.5 delay 9
  }
  loop 4 {
)";
  for (int group = 0; group < 16; ++group)
    absl::StrAppend(&text, "    v2 = vld.b32 ", group + 10, ", ", group % 3 * 5 - 1 + group / 12,
                    ", region=a delay 9\n    mxu.latch v2, ", group, " delay 10\n");
  text += "    mxu.swap 128, 128 delay 300\n";
  // The rows of one are used as a register, too.
  int register_ = 3;
  for (const char *rows : {"0, 0", "130, -3", "5, 2", "8, 1", "16, 16", "70, -10"})
    absl::StrAppend(&text, "    v", register_++, " = vld.b32 ", rows, ", region=a delay 9\n");
  text += "    v20 = v.rots v4, 3 delay 9\n    v5 = v.fadd v5, v20 delay 9\n";
  for (int i = 3; i < register_; ++i)
    absl::StrAppend(&text, "    mxu.push v", i, ", 8 delay 20\n");
  text += "    s2 = s.mov 0 delay 400\n";
  for (int i = 0; i < register_ - 3; ++i)
    absl::StrAppend(&text, "    v9 = mxu.pop delay 4\n    vst.b32 v9, ", 8 * i,
                    ", region=b delay 9\n");
  text += R"(  }
)";
  expectLockstep(programOf(".target v2\n.region a vmem 144\n.region b vmem 64\n", 'b', 64, text));
}

// As many pushes as the FIFO has places: the last result has that of one that was popped, and is
// read later.
TEST_P(Lockstep, PushesAroundTheFifo) {
  std::string text = R"(  v1 = v.lane delay 4
  xlu.rotate v1, 1 delay 60
  loop 3 {
    v3 = xlu.pop delay 4
)";
  for (int i = 0; i < 32; ++i)
    absl::StrAppend(&text, "    xlu.rotate v1, ", i, " delay 60\n",
                    i < 31 ? "    v4 = xlu.pop delay 4\n" : "");
  text += R"(    v1 = v.add v1, v3 delay 4
    vst.b32 v1, 0, region=b delay 9
    vst.b32 v4, 8, region=b delay 9
  }
)";
  expectLockstep(programOf(".target v2\n.region b vmem 16\n", 'b', 16, text));
}

// Chunks of a copy that are written to the same rows: the last one stays.
TEST_P(Lockstep, CopiesOverTheSameRows) {
  const std::string text = R"(.program copies
.target v2
.region x hbm 1024
.region y hbm 64
.region a vmem 1024
.region b vmem 64
.descriptor all vmem to hbm chunk 131072
.descriptor same hbm to vmem chunk 8192 counts [16] src [8192] dst [0]
.descriptor out vmem to hbm chunk 8192
routine main {
  v1 = v.lane
  s1 = s.mov 0 delay 4
  loop 128 {
    { vst.b32 v1, s1, region=a
      s1 = s.add s1, 8 }
    v1 = v.add v1, 1000 delay 9
  }
  dma.start dst=0, src=0, dstRegion=x, srcRegion=a, descriptor=all, flag=0
  wait 1, flag=0
  dma.start dst=0, src=0, dstRegion=b, srcRegion=x, descriptor=same, flag=0
  wait 1, flag=0
  dma.start dst=0, src=0, dstRegion=y, srcRegion=b, descriptor=out, flag=0
  wait 1, flag=0
  halt
}
)";
  expectLockstep(text);
}

// Programs that were changed somewhere: most end with a trap.
TEST_P(Lockstep, MutatedPrograms) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    Program program = round % 3
                          ? *assemble(RandomProgram(uint32_t(round)).text(), "random")
                          : *assemble(kSamples[size_t(round) / 3 % std::size(kSamples)], "sample");
    for (int n = 1 + int(random() % 3); n > 0; --n)
      mutateCode(program, random);
    lockstep(program, GetParam(), random);
    if (HasFailure()) {
      FAIL() << "round " << round;
    }
  }
}

} // namespace
