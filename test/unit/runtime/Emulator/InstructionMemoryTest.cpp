// Overlays that are loaded while code runs. On v2 a load takes 350 cycles to its first bundle, and
// the others follow one a cycle; `call` and `ret` take 3 cycles, other bundles one.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "test/unit/runtime/Emulator/TextProgram.h"
#include "gmock/gmock.h"

using namespace systole;
using namespace systole::test;
using testing::HasSubstr;

namespace {

// A main routine of these bundles, and two others: `f` in overlay 1, `g` in overlay 2, each of two
// bundles and at an address of its own.
std::string programOf(const std::vector<std::string> &body, int addressOfF, int addressOfG) {
  const int end = int(body.size()) + 1;
  return absl::StrCat(".program overlays\n.overlay bundles 0 ", end, "\n.overlay bundles ", end,
                      " ", end + 2, " at ", addressOfF, "\n.overlay bundles ", end + 2, " ",
                      end + 4, " at ", addressOfG, "\nroutine main {\n", absl::StrJoin(body, "\n"),
                      "\nhalt\n}\nroutine f {\n nop\n ret\n}\nroutine g {\n nop\n ret\n}\n");
}

class InstructionMemory : public testing::Test {
protected:
  // The cycles of a run, which must be the same in a run for timing only.
  int64_t cyclesOf(const std::vector<std::string> &body, int addressOfF = 20, int addressOfG = 22) {
    int64_t cycles = -1;
    for (bool timingOnly : {false, true}) {
      EmulatorOptions options;
      options.timingOnly = timingOnly;
      TextProgram machine(programOf(body, addressOfF, addressOfG), *Target::load("v2"), options);
      int64_t now = machine.cycles();
      EXPECT_TRUE(cycles < 0 || now == cycles) << now << " and " << cycles;
      cycles = now;
      total = machine.stats.total;
    }
    return cycles;
  }

  std::string trapOf(const std::vector<std::string> &body, int addressOfF = 20,
                     int addressOfG = 22) {
    TextProgram machine(programOf(body, addressOfF, addressOfG), *Target::load("v2"));
    EXPECT_TRUE(machine.emulator) << machine.loadStatus;
    if (!machine.emulator || machine.emulator->run().ok() || !machine.emulator->lastTrap())
      return "no trap";
    const TrapInfo &trap = *machine.emulator->lastTrap();
    EXPECT_EQ(trap.kind, TrapKind::NotResident);
    return trap.text;
  }

  KernelStats total;
};

TEST_F(InstructionMemory, IsLoadedWhileCodeRuns) {
  // The load begins behind its bundle, in cycle 1, and ends in cycle 353. `overlay` waits for what
  // the bundles before it leave of that.
  EXPECT_EQ(cyclesOf({"overlay.start 1", "nop delay 31", "nop delay 31", "nop delay 31",
                      "overlay 1", "call f"}),
            353 + 3 + 1 + 3 + 1);
  EXPECT_EQ(total.overlayCycles, 353 - (1 + 3 * 32 + 1));
  EXPECT_EQ(total.hbmReadBytes, 2 * 64);
}

TEST_F(InstructionMemory, IsNotWaitedForOnceLoaded) {
  std::vector<std::string> body = {"overlay.start 1"};
  for (int i = 0; i < 12; ++i)
    body.push_back("nop delay 31");
  body.insert(body.end(), {"overlay 1", "call f", "overlay.start 1", "overlay 1", "call f"});
  EXPECT_EQ(cyclesOf(body, 30, 32), 1 + 12 * 32 + 1 + (3 + 1 + 3) + 2 + (3 + 1 + 3) + 1);
  EXPECT_EQ(total.overlayCycles, 0);
  EXPECT_EQ(total.hbmReadBytes, 2 * 64);
}

TEST_F(InstructionMemory, TakesOneLoadAfterTheOther) {
  // Overlay 1 arrives until cycle 353, and overlay 2, which is requested a cycle later, behind it.
  EXPECT_EQ(cyclesOf({"overlay.start 1", "overlay.start 2", "overlay 2", "call g", "overlay 1",
                      "call f"}),
            355 + (3 + 1 + 3) + 1 + (3 + 1 + 3) + 1);
  EXPECT_EQ(total.overlayCycles, 355 - 3);
  EXPECT_EQ(total.hbmReadBytes, 4 * 64);
}

TEST_F(InstructionMemory, ReplacesWhatAnOverlayOverlaps) {
  // Loaded again, since overlay 2 has taken one bundle of it.
  cyclesOf({"overlay 1", "call f", "overlay 2", "call g", "overlay 1", "call f"}, 20, 21);
  EXPECT_EQ(total.hbmReadBytes, 6 * 64);
  cyclesOf({"overlay 1", "call f", "overlay 2", "call g", "overlay 1", "call f"}, 20, 22);
  EXPECT_EQ(total.hbmReadBytes, 4 * 64);
  EXPECT_THAT(trapOf({"overlay 1", "overlay.start 2", "call f"}, 20, 21),
              HasSubstr("the bundle belongs to overlay 1, which is not in instruction memory"));
}

TEST_F(InstructionMemory, TrapsWhereALoadWasNotWaitedFor) {
  EXPECT_THAT(trapOf({"overlay.start 1", "call f"}),
              HasSubstr("the bundle belongs to overlay 1, which is not in instruction memory"));
}

TEST_F(InstructionMemory, HoldsNoOverlayThatDoesNotFit) {
  EXPECT_THAT(trapOf({"overlay.start 1", "call f"}, 2),
              HasSubstr("overlay 1 would take bundles 2 to 4 of instruction memory, of which "
                        "overlay 0 takes 3; it holds 16384"));
  EXPECT_THAT(trapOf({"overlay 1", "call f"}, 16383), HasSubstr("it holds 16384"));
}

} // namespace
