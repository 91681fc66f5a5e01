// Control flow: loops, branches, whiles, routines, flags, and their cycles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/runtime/Emulator/TextProgram.h"
#include "gmock/gmock.h"

using namespace systole;
using namespace systole::test;

namespace {

// A program whose body leaves words in SMEM; they are copied to HBM at the end.
// After the body come, on v2: nop with delay 3 (4 cycles), dma.start (1 cycle), the
// wait (until 350 + 2 cycles after dma.start: 512 bytes take ceil(512 / 511.43)
// = 2), halt (1 cycle).
constexpr int64_t kTail = 4 + 352 + 1 + 1;

std::string withTail(const std::string &body, const std::string &routines = "") {
  return R"(
.program control
.region out hbm 1
.region words smem 128
.descriptor back smem to hbm chunk 128
routine main {
)" + body +
         R"(
  nop delay 3
  dma.start dst=0, src=0, dstRegion=out, srcRegion=words, descriptor=back, flag=0
  wait 1, flag=0
  halt
}
)" + routines;
}

// The first words that a body leaves, and the cycles of the body.
struct Outcome {
  std::vector<int32_t> words;
  int64_t cycles;
};
Outcome runBody(const std::string &body, const std::string &routines = "") {
  TextProgram machine(withTail(body, routines));
  int64_t cycles = machine.cycles();
  return {machine.read<int32_t>("out"), cycles - kTail};
}

TEST(Control, EmptyBody) { EXPECT_EQ(runBody("").cycles, 0); }

TEST(Control, LoopCostsItsBody) {
  Outcome o = runBody(R"(
  s1 = s.mov 0
  loop 5 {
    s1 = s.add s1, 10
    nop
  }
  s.st s1, 0, region=words
)");
  EXPECT_EQ(o.words[0], 50);
  EXPECT_EQ(o.cycles, 1 + 1 + 5 * 2 + 1);
}

TEST(Control, LoopOfNoIterations) {
  for (const char *count : {"0", "-3"}) {
    Outcome o = runBody(std::string("s1 = s.mov 7\n loop ") + count + R"( {
    s1 = s.mov 8
  }
  s.st s1, 0, region=words)");
    EXPECT_EQ(o.words[0], 7);
    EXPECT_EQ(o.cycles, 3);
  }
}

TEST(Control, NestedLoopsThatEndTogether) {
  Outcome o = runBody(R"(
  s1 = s.mov 0
  loop 3 {
    loop 4 {
      loop 2 {
        s1 = s.add s1, 1
      }
    }
  }
  s.st s1, 0, region=words
)");
  EXPECT_EQ(o.words[0], 24);
  // Three times: a bundle, four times a bundle and two.
  EXPECT_EQ(o.cycles, 1 + 1 + 3 * (1 + 4 * (1 + 2)) + 1);
}

// Either branch, with and without an else, at the end of a loop's body.
TEST(Control, Branches) {
  struct Case {
    int condition;
    const char *text;
    int expected, cycles;
  };
  // The `if` is 1 cycle, a branch's bundle 1; passing over bundles costs 2.
  for (Case c :
       {Case{1, "if s2 { s1 = s.mov 1 } else { s1 = s.mov 2 }", 1, 1 + 1 + 2},
        Case{0, "if s2 { s1 = s.mov 1 } else { s1 = s.mov 2 }", 2, 1 + 2 + 1},
        Case{-5, "if s2 { s1 = s.mov 1 }", 1, 1 + 1}, Case{0, "if s2 { s1 = s.mov 1 }", 0, 1 + 2},
        Case{1, "if s2 {  } else { s1 = s.mov 2 }", 0, 1 + 2},
        Case{0, "if s2 {  } else { s1 = s.mov 2 }", 2, 1 + 1}}) {
    std::string text = c.text;
    // Statements stand on lines of their own.
    for (size_t at = 0; (at = text.find("{ ", at)) != std::string::npos; at += 2)
      text[at + 1] = '\n';
    for (size_t at = 0; (at = text.find(" }", at)) != std::string::npos; at += 2)
      text[at] = '\n';
    Outcome o = runBody("s1 = s.mov 0\n s2 = s.mov " + std::to_string(c.condition) +
                        "\n loop 2 {\n" + text + "\n}\n s.st s1, 0, region=words\n");
    EXPECT_EQ(o.words[0], c.expected) << c.text;
    EXPECT_EQ(o.cycles, 1 + 1 + 1 + 2 * c.cycles + 1) << c.text;
  }
}

TEST(Control, WhileLeavesAtItsExit) {
  // Collatz from 6: 6 3 10 5 16 8 4 2 1 takes 8 steps.
  Outcome o = runBody(R"(
  { s1 = s.mov 6
    s2 = s.mov 0 }
  while {
    s3 = s.ne s1, 1
    exit s3
    { s4 = s.and s1, 1
      s2 = s.add s2, 1 }
    if s4 {
      s1 = s.mul s1, 3 delay 2
      s1 = s.add s1, 1
    } else {
      s1 = s.shr s1, 1
    }
  }
  s.st s2, 0, region=words
)");
  EXPECT_EQ(o.words[0], 8);
  // 9 times the two bundles before the exit, which is taken once (2 more). Of 8
  // steps 2 are odd: 1 + 1 + 4 and 2 over the else; 6 are even: 1 + 1 + 2 + 1.
  // Each of the 8 goes back (2).
  EXPECT_EQ(o.cycles, 1 + 1 + 9 * 2 + 2 + 2 * (1 + 1 + 4 + 2) + 6 * (1 + 1 + 2 + 1) + 8 * 2 + 1);
}

TEST(Control, NestedWhiles) {
  Outcome o = runBody(R"(
  { s1 = s.mov 3
    s5 = s.mov 0 }
  while {
    exit s1
    s2 = s.mov s1
    while {
      exit s2
      { s2 = s.sub s2, 1
        s5 = s.add s5, 1 }
    }
    s1 = s.sub s1, 1
  }
  s.st s5, 0, region=words
)");
  EXPECT_EQ(o.words[0], 3 + 2 + 1);
}

TEST(Control, RoutinesReturnToTheirCallers) {
  Outcome o = runBody(R"(
  s1 = s.mov 1
  loop 3 {
    call twice
  }
  s.st s1, 0, region=words
)",
                      R"(
routine twice {
  call double
  call double
  ret
}
routine double {
  s1 = s.add s1, s1
  ret
}
)");
  EXPECT_EQ(o.words[0], 64);
  // A call of `double`: call 1 + 2, add 1, ret 1 + 2.
  constexpr int64_t inner = 3 + 1 + 3;
  EXPECT_EQ(o.cycles, 1 + 1 + 3 * (3 + 2 * inner + 3) + 1);
}

TEST(Control, LoopsOfARoutineAreItsOwn) {
  Outcome o = runBody(R"(
  s1 = s.mov 0
  loop 2 {
    call count
    s1 = s.add s1, 100
  }
  s.st s1, 0, region=words
)",
                      R"(
routine count {
  loop 3 {
    s1 = s.add s1, 1
  }
  ret
}
)");
  EXPECT_EQ(o.words[0], 206);
}

TEST(Control, ScalarArithmetic) {
  Outcome o = runBody(R"(
  { s1 = s.mov -7
    s2 = s.mov 3 }
  { s3 = s.mul s1, s2
    s4 = s.mulhi s1, s2 } delay 2
  { s.st s3, 0, region=words
    s5 = s.sra s1, 1 }
  { s.st s4, 1, region=words
    s6 = s.shr s1, 28 }
  { s.st s5, 2, region=words
    s7 = s.ltu s1, s2 }
  { s.st s6, 3, region=words
    s8 = s.lt s1, s2 }
  { s.st s7, 4, region=words
    s9 = s.sel s8, s1, s2 }
  { s.st s8, 5, region=words
    s10 = s.shl s2, 33 }
  { s.st s9, 6, region=words
    s11 = s.max s1, s2 }
  { s.st s10, 7, region=words
    s.st s11, 8, region=words }
)");
  // mulhi of 2^32 - 7 and 3 is (3 * 2^32 - 21) / 2^32, rounded down.
  EXPECT_THAT(std::vector<int32_t>(o.words.begin(), o.words.begin() + 9),
              testing::ElementsAre(-21, 2, -4, 15, 0, 1, -7, 0, 3));
}

TEST(Control, BundlesReadBeforeTheyWrite) {
  Outcome o = runBody(R"(
  { s1 = s.mov 1
    s2 = s.mov 2 }
  { s1 = s.mov s2
    s2 = s.mov s1 }
  { s.st s1, 0, region=words
    s.st s2, 1, region=words } delay 1
  { s3 = s.ld 0, region=words
    s.st 9, 0, region=words } delay 3
  { s.st s3, 2, region=words
    s3 = s.mov 5 }
  loop s3 with { s3 = s.mov 1 } {
    nop
  }
)");
  EXPECT_EQ(o.words[0], 9);
  EXPECT_EQ(o.words[1], 1);
  EXPECT_EQ(o.words[2], 2);
  EXPECT_EQ(o.cycles, 1 + 1 + 2 + 4 + 1 + 1 + 5);
}

TEST(Control, FlagsCount) {
  Outcome o = runBody(R"(
  flag.add 5, flag=3
  s1 = flag.read flag=3
  { wait 2, flag=3
    s.st s1, 0, region=words }
  s2 = flag.read flag=3
  s.st s2, 1, region=words
)");
  EXPECT_EQ(o.words[0], 5);
  EXPECT_EQ(o.words[1], 3);
  EXPECT_EQ(o.cycles, 5);
}

TEST(Control, KernelsCountTheirCallees) {
  TextProgram machine(withTail(R"(
  kernel "a" source "m.py:1" {
    call work
  }
  loop 2 {
    kernel "b" source "m.py:2" {
      call work
      nop delay 9
    }
  }
)",
                               R"(
routine work {
  loop 10 {
    v1 = v.add v1, 1 delay 1
  }
  ret
}
)"));
  machine.cycles();
  // A call: 1 + 2; the routine: the loop's bundle, 10 x 2, ret 1 + 2.
  constexpr int64_t call = 3 + 1 + 20 + 3;
  const auto &kernels = machine.stats.kernels;
  EXPECT_EQ(kernels[0].calls, 1);
  EXPECT_EQ(kernels[0].cycles, call);
  EXPECT_EQ(kernels[0].use.valuOps, 10);
  EXPECT_EQ(kernels[1].calls, 2);
  EXPECT_EQ(kernels[1].cycles, 2 * (call + 10));
  EXPECT_EQ(kernels[1].use.valuOps, 20);
  EXPECT_EQ(kernels[1].controlCycles, 2 * 4);
  EXPECT_EQ(machine.stats.outside.cycles + kernels[0].cycles + kernels[1].cycles,
            machine.stats.cycles);
  const KernelStats &total = machine.stats.total;
  EXPECT_EQ(total.cycles, total.use.bundles + total.use.delayCycles + total.waitCycles +
                              total.controlCycles + total.overlayCycles);
}

} // namespace
