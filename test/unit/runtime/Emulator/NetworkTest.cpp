// Tests of messages between cores: cycles that are calculated by hand, order on links, and traps.
//
// TPU v2: 350 cycles until a copy starts, 500 bytes of HBM a cycle and core, links of
// 62e9 / 700e6 = 88.6 bytes a cycle and 700 cycles. Cores 0 and 1 are on the chip at (0, 0), 2 and
// 3 at (1, 0), 4 and 5 at (0, 1), 6 and 7 at (1, 1).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "dialects/Machine/Target/Topology.h"
#include "runtime/Emulator/Network/Network.h"
#include "test/unit/runtime/Emulator/TextProgram.h"
#include "gmock/gmock.h"

namespace systole {
namespace {

using test::TextProgram;
using testing::HasSubstr;

std::vector<int32_t> iota(size_t count, int32_t first = 0) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

Target slice() { return Target::load("v2")->withCores(8); }

// Core 0 sends 4096 bytes to core TO, and core 1 as many to core OTHER, if that is not 1. All wait
// for what they get.
constexpr const char *kSend = R"(
.program send
.cores 8
.region x hbm 8
.region y hbm 8
.descriptor send hbm to hbm chunk 1024 arrival_flag 70
routine main {
  s1 = s.core
  s2 = s.lt s1, SENDERS
  s3 = s.sel s1, OTHER, TO
  if s2 {
    dma.send dst=0, src=0, dstRegion=y, srcRegion=x, core=s3, descriptor=send, flag=0
    wait 1, flag=0
  }
  s4 = s.eq s1, TO
  s5 = s.eq s1, OTHER
  s4 = s.or s4, s5
  wait s4, flag=70
  halt
}
)";

std::string sends(int to, int other = 1) {
  return absl::StrReplaceAll(kSend, {{"SENDERS", other == 1 ? "1" : "2"},
                                     {"OTHER", other == 1 ? "-2" : std::to_string(other)},
                                     {"TO", std::to_string(to)}});
}

// The cycle at which a core halts.
int64_t haltOf(const TextProgram &machine, int core) {
  return machine.stats.coreCycles[size_t(core)];
}

// The copy is issued in cycle 4 and starts in 354. A wait that ends in cycle t lets `halt` issue in
// t + 1, and the core has halted in t + 2.
TEST(Network, CopiesTakeTheLinksOfTheirRoutes) {
  struct Case {
    int to;
    int64_t arrives;
  };
  const Case cases[] = {
      {1, 354 + 9},            // the same chip: its HBM
      {2, 354 + 700 + 47},     // ceil(4096 / 88.6) = 47 cycles of a link
      {4, 354 + 700 + 47},     // along y
      {7, 354 + 2 * 700 + 47}, // along x, then y
  };
  for (const Case &c : cases) {
    TextProgram machine(sends(c.to), slice());
    ASSERT_TRUE(machine.emulator) << machine.loadStatus;
    machine.write("x", iota(1024), 0);
    machine.cycles();
    EXPECT_EQ(haltOf(machine, c.to), c.arrives + 2) << c.to;
    EXPECT_EQ(machine.read<int32_t>("y", c.to), iota(1024));
    EXPECT_EQ(machine.read<int32_t>("y", 3), std::vector<int32_t>(1024, 0));
  }
}

TEST(Network, TheSourceIsFreeWhenTheFirstLinkHasCarriedIt) {
  TextProgram machine(sends(7), slice());
  machine.cycles();
  // Then come three scalars, a wait for nothing, and halt.
  EXPECT_EQ(haltOf(machine, 0), 354 + 47 + 5 + 1);
}

// Both are issued in one cycle, and the lower core's is the first on the link from chip 0 along x.
TEST(Network, FlowsOnOneLinkTakeTurns) {
  TextProgram machine(sends(2, 3), slice());
  machine.cycles();
  EXPECT_EQ(haltOf(machine, 2), 354 + 700 + 47 + 2);
  EXPECT_EQ(haltOf(machine, 3), 354 + 47 + 700 + 47 + 2);
  const LinkStats &shared = machine.stats.links[1]; // chip 0 +x
  EXPECT_EQ(shared.bytes, 2 * 4096);
  EXPECT_EQ(shared.cycles, 2 * 47);
}

// From core 0 to core 7 along x, then y, as in the first test.
TEST(Network, TracesCopiesOnLinks) {
  EmulatorOptions options;
  for (const bool trace : {false, true}) {
    options.trace = trace;
    TextProgram machine(sends(7), slice(), options);
    machine.cycles();
    EXPECT_EQ(machine.stats.sliceCores, 8);
    ASSERT_EQ(machine.stats.linkSpans.size(), trace ? 2u : 0u);
  }
  TextProgram machine(sends(7), slice(), options);
  machine.cycles();
  const Topology topology(slice(), 8);
  std::vector<std::string> spans;
  for (const LinkSpan &span : machine.stats.linkSpans)
    spans.push_back(absl::StrCat(topology.nameOf(span.link), " ", span.from, " to ", span.to, " ",
                                 span.begin, " to ", span.end, " ", span.bytes));
  EXPECT_THAT(spans, testing::ElementsAre("chip 0 +x 0 to 7 354 to 401 4096",
                                          "chip 1 +y 0 to 7 1054 to 1101 4096"));
}

// The first link has carried the copy at the time of the snapshot.
TEST(Network, SnapshotsHaveTheSpansOfATrace) {
  EmulatorOptions options;
  options.trace = true;
  TextProgram first(sends(7), slice(), options), second(sends(7), slice(), options);
  ASSERT_TRUE(first.emulator->start().ok());
  ASSERT_TRUE(first.emulator->advance(900).ok());
  ASSERT_TRUE(second.emulator->restore(*first.emulator->snapshot()).ok());
  auto end = second.emulator->advance(INT64_MAX);
  ASSERT_TRUE(end.ok() && end->has_value()) << end.status();
  EXPECT_EQ((*end)->linkSpans.size(), 2u);
}

TEST(Network, RefusesImpossibleStates) {
  using Change = void (*)(emulation::NetworkState &);
  const Change changes[] = {
      [](auto &state) { state.freeAt.pop_back(); },
      [](auto &state) { state.freeAt[0] = -1; },
      [](auto &state) { state.links.emplace_back(); },
      [](auto &state) { state.links[0].bytes = -1; },
      [](auto &state) { state.spans[0].link = 24; }, // of 4 chips
      [](auto &state) { state.spans[0].from = 8; },
      [](auto &state) { state.spans[0].to = -1; },
      [](auto &state) { state.spans[0].begin = 9; },
      [](auto &state) { state.spans[0].bytes = INT64_MAX; },
  };
  std::vector<int> places(8);
  std::iota(places.begin(), places.end(), 0);
  emulation::Network network(slice(), Topology(slice(), 8), places);
  for (const Change change : changes) {
    network.reset(true);
    network.state.spans.push_back({0, 0, 7, -1, 1, 8, 4096});
    EXPECT_EQ(network.restore(network.capture()), absl::OkStatus());
    emulation::Network other = network;
    change(other.state);
    EXPECT_EQ(network.restore(other.capture()).message(), "links are not possible");
  }
}

TEST(Network, FlowsOnTwoLinksDoNotWait) {
  TextProgram machine(sends(2, 4), slice());
  machine.cycles();
  EXPECT_EQ(haltOf(machine, 2), 354 + 700 + 47 + 2);
  EXPECT_EQ(haltOf(machine, 4), 354 + 700 + 47 + 2);
}

// Every core adds 1 + its number to flag 64 + its number of core TO, in cycle 3.
TEST(Network, FlagsTakeTheLatencyOfLinks) {
  const char *text = R"(
.program signals
.cores 8
routine main {
  s1 = s.core
  s2 = s.add s1, 1
  s3 = s.add s1, 64
  flag.signal s2, 7, s3
  s4 = s.eq s1, 7
  s5 = s.mul s4, 6 delay 2
  wait s5, flag=69
  wait s4, flag=64
  halt
}
)";
  TextProgram machine(text, slice());
  ASSERT_TRUE(machine.emulator) << machine.loadStatus;
  machine.cycles();
  // From core 5 along one link, from core 0 along two.
  EXPECT_EQ(haltOf(machine, 7), 3 + 2 * 700 + 2);
}

TEST(Network, ThreadsChangeNothing) {
  EmulatorOptions options;
  std::vector<int64_t> expected;
  for (int threads : {1, 2, 3, 8}) {
    options.threads = threads;
    TextProgram machine(sends(2, 3), slice(), options);
    machine.write("x", iota(1024), 0);
    machine.write("x", iota(1024, 5), 1);
    machine.cycles();
    if (expected.empty())
      expected = machine.stats.coreCycles;
    EXPECT_EQ(machine.stats.coreCycles, expected);
    EXPECT_EQ(machine.read<int32_t>("y", 2), iota(1024));
    EXPECT_EQ(machine.read<int32_t>("y", 3), iota(1024, 5));
  }
}

//===----------------------------------------------------------------------===//
// Traps
//===----------------------------------------------------------------------===//

// Two cores of chips 0 and 1: SENDER is executed by core 0, RECEIVER by core 2.
constexpr const char *kPair = R"(
.program pair
.cores 8
.region x hbm 80000
.region y hbm 80000
.region a vmem 8
.region b vmem 8
.descriptor send hbm to hbm chunk 1024 arrival_flag 70
.descriptor vsend vmem to vmem chunk 1024 arrival_flag 70
.descriptor slow hbm to hbm chunk 5120000
routine main {
  s1 = s.core
  s2 = s.eq s1, 0
  s3 = s.eq s1, 2
  s4 = s.mov 200
  s5 = s.mov 0
  if s2 {
SENDER
  }
  if s3 {
RECEIVER
  }
  halt
}
)";

struct TrapCase {
  const char *name, *sender, *receiver;
  TrapKind kind;
  const char *text;
};

const char *const kSendIt = "dma.send dst=0, src=0, dstRegion=y, srcRegion=x, core=2, "
                            "descriptor=send, flag=0\nwait 1, flag=0";

const TrapCase kTraps[] = {
    {"arrival in memory that is read", kSendIt,
     "dma.start dst=0, src=0, dstRegion=x, srcRegion=y, descriptor=slow, flag=1\nwait 1, flag=1",
     TrapKind::MemoryOwned,
     "on arrival from core 0, the copy writes HBM row 80000, which a copy in flight reads"},
    {"arrival in memory that is written", kSendIt,
     "dma.start dst=0, src=0, dstRegion=y, srcRegion=x, descriptor=slow, flag=1\nwait 1, flag=1",
     TrapKind::MemoryOwned,
     "on arrival from core 0, the copy writes HBM row 80000, which a copy in flight writes"},
    // The first word is there in cycle 1056, the last one in 1103.
    {"access before the last word has arrived",
     "dma.send dst=0, src=0, dstRegion=b, srcRegion=a, core=2, descriptor=vsend, flag=0\n"
     "wait 1, flag=0",
     "nop delay 1060\nv1 = vld.b32 s5, region=b", TrapKind::MemoryOwned,
     "which a copy in flight writes"},
    {"write to a source that has not left",
     "dma.send dst=0, src=0, dstRegion=b, srcRegion=a, core=2, descriptor=vsend, flag=0\n"
     "nop delay 375\nvst.b32 v1, s5, region=a",
     "", TrapKind::MemoryOwned, "which a copy in flight reads"},
    {"a wait for a core that does not send", "", "wait 1, flag=70", TrapKind::Deadlock,
     "sync flag 70 is 0, and nothing in flight can bring it to 1; core 0 has halted; core 1 has "
     "halted; core 3 has halted"},
    {"two cores that wait for each other", "wait 1, flag=71", "wait 1, flag=70", TrapKind::Deadlock,
     "core 2 waits in bundle "},
    {"a core that does not exist",
     "dma.send dst=0, src=0, dstRegion=y, srcRegion=x, core=s4, descriptor=send, flag=0", "",
     TrapKind::BadOperand, "there is no core 200"},
    {"a flag that does not exist", "flag.signal 1, 2, s4", "", TrapKind::BadOperand,
     "names flag 200 of 128"},
    {"a signal to a core that does not exist", "flag.signal 1, s4, 3", "", TrapKind::BadOperand,
     "names core 200 of 8"},
    {"a destination outside of its region",
     "dma.send dst=s4, src=0, dstRegion=b, srcRegion=a, core=2, descriptor=vsend, flag=0", "",
     TrapKind::OutOfBounds, "the destination of the copy covers words 25600 to 26624"},
    {"a copy in flight at the end",
     "dma.send dst=0, src=0, dstRegion=y, srcRegion=x, core=2, descriptor=send, flag=0", "",
     TrapKind::CopiesInFlight, "copies in flight: 1"},
};

TEST(Network, Traps) {
  for (const TrapCase &c : kTraps) {
    SCOPED_TRACE(c.name);
    for (int threads : {1, 2}) {
      EmulatorOptions options;
      options.threads = threads;
      TextProgram machine(
          absl::StrReplaceAll(kPair, {{"SENDER", c.sender}, {"RECEIVER", c.receiver}}), slice(),
          options);
      ASSERT_TRUE(machine.emulator) << machine.loadStatus;
      EXPECT_FALSE(machine.emulator->run().ok());
      ASSERT_TRUE(machine.emulator->lastTrap());
      EXPECT_EQ(machine.emulator->lastTrap()->kind, c.kind);
      EXPECT_THAT(machine.emulator->lastTrap()->text, HasSubstr(c.text));
    }
  }
}

TEST(Network, TheQueueHoldsSends) {
  std::string many;
  for (int i = 0; i < 33; ++i)
    many += "dma.send dst=0, src=0, dstRegion=y, srcRegion=x, core=2, descriptor=send, flag=0\n"
            "nop\n";
  TextProgram machine(absl::StrReplaceAll(kPair, {{"SENDER", many}, {"RECEIVER", ""}}), slice());
  ASSERT_TRUE(machine.emulator) << machine.loadStatus;
  EXPECT_FALSE(machine.emulator->run().ok());
  EXPECT_EQ(machine.emulator->lastTrap()->kind, TrapKind::QueueFull);
}

TEST(Network, TheWatchdogStopsArrivals) {
  EmulatorOptions options;
  options.maxCycles = 1090;
  TextProgram machine(sends(2), slice(), options);
  EXPECT_FALSE(machine.emulator->run().ok());
  EXPECT_EQ(machine.emulator->lastTrap()->kind, TrapKind::Watchdog);
}

} // namespace
} // namespace systole
