// Live registers: over loops, branches and calls.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Code/Liveness.h"

#include <string>

#include "dialects/Machine/Program/Assembler.h"
#include "gtest/gtest.h"

using namespace systole;
using namespace systole::emulation;

namespace {

// The names of the live-out registers of each block of a program whose routines are given.
std::vector<std::string> liveOut(const std::string &routines) {
  absl::StatusOr<Program> program =
      assemble(".program test\n.target v2\n.region a vmem 64\n" + routines, "test");
  EXPECT_TRUE(program.ok()) << program.status();
  absl::StatusOr<Code> code = decodeProgram(*program, *Target::load("v2"));
  EXPECT_TRUE(code.ok()) << code.status();
  std::vector<std::string> names;
  for (const RegisterSet &live : code->liveOut) {
    std::string &text = names.emplace_back();
    for (int reg = 0; reg < kRegisters; ++reg)
      if (live[size_t(reg)] && reg != kMaskBase)
        text += (text.empty() ? "" : " ") + registerName(reg);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Liveness, AValueIsLiveUntilItsLastRead) {
  EXPECT_EQ(liveOut(R"(routine main {
    v1 = v.lane
    v2 = v.sublane
    wait 0, flag=0
    v3 = v.add v1, 1 delay 2
    v2 = v.add v3, 1 delay 2
    vst.b32 v2, 0, region=a
    halt
  }
  )"),
            (Names{"v1", ""}));
}

TEST(Liveness, LoopsReadWhatTheyCarry) {
  EXPECT_EQ(liveOut(R"(routine main {
    v1 = v.lane
    m2 = v.lt v1, 5
    loop 3 {
      v2 = v.add v1, v2 delay 2
    }
    vst.b32 v2, 0, region=a, mask=m2
    halt
  }
  )"),
            (Names{"v1 v2 m2", "v1 v2 m2", ""}));
}

TEST(Liveness, EitherBranchMayFollow) {
  EXPECT_EQ(liveOut(R"(routine main {
    v1 = v.lane
    v2 = v.sublane
    if s1 {
      v3 = v.mov v1 delay 1
    } else {
      v3 = v.mov v2 delay 1
    }
    vst.b32 v3, 0, region=a
    halt
  }
  )"),
            (Names{"v1 v2", "v3", "v3", ""}));
}

// Blocks: before the calls, between and behind them, the routine.
TEST(Liveness, ARoutineKeepsWhatItsCallersRead) {
  EXPECT_EQ(liveOut(R"(routine main {
    v1 = v.lane
    call twice
    v2 = v.mov v1 delay 1
    call twice
    vst.b32 v2, 0, region=a
    halt
  }
  routine twice {
    v1 = v.add v1, v1 delay 2
    ret
  }
  )"),
            (Names{"v1 v2", "v1 v2", "", "v1 v2"}));
}

} // namespace
