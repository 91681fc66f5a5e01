// One program that causes each trap, and programs that avoid it by a
// cycle.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <set>

#include "test/unit/runtime/Emulator/TextProgram.h"
#include "gmock/gmock.h"

using namespace systole;
using namespace systole::test;
using testing::HasSubstr;

namespace {

const char *kHeader = R"(
.program trap
.region x hbm 16
.region y hbm 16
.region a vmem 16
.region b vmem 16
.region w smem 64
.descriptor in  hbm to vmem chunk 1024
.descriptor out vmem to hbm chunk 1024
.descriptor words hbm to smem chunk 16
.trap "first message"
.trap "index out of range"
)";

std::string programOf(const std::string &body) {
  return kHeader + std::string("routine main {\n") + body + "\n halt\n}\n";
}

std::set<TrapKind> seen;

// Runs a body that must trap; the trap is in the bundle after `bundle` others.
TrapInfo trapOf(const std::string &text, const EmulatorOptions &options = {},
                const Target &target = *Target::load("v2"), HostPort *host = nullptr) {
  TextProgram machine(text, target, options);
  if (!machine.emulator) {
    ADD_FAILURE() << machine.loadStatus;
    return {};
  }
  absl::StatusOr<RunStats> stats = machine.emulator->run(host);
  EXPECT_FALSE(stats.ok()) << text;
  if (stats.ok() || !machine.emulator->lastTrap())
    return {};
  const TrapInfo &trap = *machine.emulator->lastTrap();
  EXPECT_EQ(stats.status(), toStatus(trap));
  // The host's own error is returned unchanged.
  if (trap.cause.ok()) {
    EXPECT_THAT(std::string(stats.status().message()), HasSubstr(trap.text));
  }
  seen.insert(trap.kind);
  return trap;
}

void expectTrap(const std::string &body, TrapKind kind, int64_t bundle, int64_t cycle,
                const std::string &text) {
  TrapInfo trap = trapOf(programOf(body));
  EXPECT_EQ(name(trap.kind), name(kind)) << body;
  EXPECT_EQ(trap.bundle, bundle) << body;
  EXPECT_EQ(trap.cycle, cycle) << body;
  EXPECT_THAT(trap.text, HasSubstr(text)) << body;
}

void expectNoTrap(const std::string &body) {
  TextProgram machine(programOf(body));
  ASSERT_TRUE(machine.emulator) << machine.loadStatus;
  absl::StatusOr<RunStats> stats = machine.emulator->run();
  EXPECT_TRUE(stats.ok()) << stats.status() << body;
}

const char *kIn = "dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0\n";
const char *kOut = "dma.start dst=0, src=0, dstRegion=y, srcRegion=a, descriptor=out, flag=0\n";
const char *kWords = "dma.start dst=0, src=0, dstRegion=w, srcRegion=x, descriptor=words, flag=0\n";

TEST(Trap, RegisterReadTooEarly) {
  // valu_mul takes 3 cycles.
  expectNoTrap("v1 = v.fmul v2, 2.0 delay 2\n v3 = v.mov v1");
  expectTrap("v1 = v.fmul v2, 2.0 delay 1\n v3 = v.mov v1", TrapKind::ReadTooEarly, 1, 2,
             "v.mov reads v1, which is ready at cycle 3");
  expectTrap("s1 = s.ld 0, region=w\n nop\n s2 = s.add s1, 1", TrapKind::ReadTooEarly, 2, 2,
             "s.add reads s1, which is ready at cycle 4");
  expectTrap("m1 = v.lt v1, v2\n v3 = v.sel m1, v1, v2", TrapKind::ReadTooEarly, 1, 1, "reads m1");
  expectTrap("s1 = s.mul 2, 3\n loop s1 {\n nop\n }", TrapKind::ReadTooEarly, 1, 1,
             "loop reads s1");
}

TEST(Trap, MemoryReadBeforeTheStoreIsSeen) {
  expectNoTrap("vst.b32 v1, 0, region=a delay 1\n v2 = vld.b32 0, region=a");
  expectTrap("vst.b32 v1, 0, region=a\n v2 = vld.b32 7, region=a", TrapKind::ReadTooEarly, 1, 1,
             "reads row 7 of region `a`, where a store can be seen from cycle 2");
  expectNoTrap("vst.b32 v1, 0, region=a\n v2 = vld.b32 8, region=a");
  expectTrap("s.st 1, 5, region=w\n s1 = s.ld 5, region=w", TrapKind::ReadTooEarly, 1, 1,
             "reads word 5 of region `w`");
}

TEST(Trap, WeightsSwappedTooEarly) {
  expectTrap("mxu.latch v1, 0\n mxu.swap 128, 128", TrapKind::ReadTooEarly, 1, 1,
             "before the latch of MXU 0 is loaded, at cycle 8");
}

TEST(Trap, WriteConflict) {
  // The multiplication arrives at 3, the addition at 1 + 2.
  expectTrap("v1 = v.fmul v2, 2.0\n v1 = v.fadd v2, 2.0", TrapKind::WriteConflict, 1, 1,
             "v.fadd writes v1 at cycle 3, but an earlier result arrives there at cycle 3");
  expectNoTrap("v1 = v.fadd v2, 2.0\n v1 = v.fmul v2, 2.0 delay 3");
}

TEST(Trap, FifoEmpty) {
  expectTrap("v1 = xlu.pop", TrapKind::FifoEmpty, 0, 0, "finds no result of the cross-lane unit");
  expectTrap("s1 = v2s.pop", TrapKind::FifoEmpty, 0, 0, "the path to the scalar unit");
  expectTrap("v1 = mxu.pop", TrapKind::FifoEmpty, 0, 0, "MXU 0");
  expectTrap("eup.exp v1 delay 20\n { v1 = eup.pop\n eup.exp v2 } delay 20\n v2 = eup.pop\n"
             "v3 = eup.pop",
             TrapKind::FifoEmpty, 3, 43, "the transcendental unit");
}

TEST(Trap, FifoFull) {
  // The FIFO to the scalar unit holds 8.
  expectNoTrap("loop 8 {\n v2s v1, 0, 0\n }");
  expectTrap("loop 9 {\n v2s v1, 0, 0\n }", TrapKind::FifoFull, 1, 9,
             "adds 1 to the 8 results of the path to the scalar unit, which holds 8");
}

TEST(Trap, PopTooEarly) {
  expectNoTrap("eup.exp v1 delay 15\n v1 = eup.pop");
  expectTrap("eup.exp v1 delay 14\n v1 = eup.pop", TrapKind::PopTooEarly, 1, 15,
             "which is ready at cycle 16");
}

TEST(Trap, UnitBusy) {
  expectNoTrap("eup.sin v1 delay 3\n eup.sin v1");
  expectTrap("eup.sin v1 delay 2\n eup.sin v1", TrapKind::UnitBusy, 1, 3,
             "the transcendental unit is busy until cycle 4");
  expectTrap("mxu.push v1, 8\n nop\n mxu.push v1, 8", TrapKind::UnitBusy, 2, 2,
             "MXU 0 is busy until cycle 8");
  expectNoTrap("mxu.latch v1, 0\n mxu.push v1, 8");
  expectTrap("mxu.swap 128, 128\n mxu.push v1, 8", TrapKind::UnitBusy, 1, 1, "busy until cycle 2");
  expectTrap(std::string(kIn) + kOut, TrapKind::UnitBusy, 1, 1, "the copy engine is busy");
}

TEST(Trap, TransposeOrder) {
  expectTrap("xlu.tr v1 delay 7\n xlu.rotate v1, 1", TrapKind::TransposeOrder, 1, 8,
             "inside a block to transpose");
  expectTrap("loop 16 {\n xlu.tr v1 delay 7\n }", TrapKind::TransposeOrder, 1, 121,
             "longer than 128 rows");
}

TEST(Trap, MemoryOwnedByACopy) {
  std::string in = kIn, out = kOut, words = kWords;
  expectTrap(in + "v1 = vld.b32 0, region=a", TrapKind::MemoryOwned, 1, 1,
             "reads row 0 of region `a`, which a copy in flight writes");
  expectTrap(in + "vst.b32 v1, 7, region=a", TrapKind::MemoryOwned, 1, 1, "writes row 7");
  expectTrap(in + "v1 = vld.b32 8, region=a\n v2 = vld.bf16 15, region=a", TrapKind::MemoryOwned, 2,
             2, "reads row 15 of region `a`");
  expectTrap(out + "vst.b32 v1, 0, region=a", TrapKind::MemoryOwned, 1, 1,
             "writes row 0 of region `a`, which a copy in flight reads");
  // Reading the source of a copy is not a conflict.
  expectNoTrap(out + "v1 = vld.b32 0, region=a\n wait 1, flag=0");
  expectTrap(words + "s1 = s.ld 15, region=w", TrapKind::MemoryOwned, 1, 1,
             "reads word 15 of region `w`");
  expectTrap(words + "s1 = s.ld 16, region=w\n s.st 1, 0, region=w", TrapKind::MemoryOwned, 2, 2,
             "writes word 0");
  // Copies against each other.
  expectTrap(in + "nop\n" + in, TrapKind::MemoryOwned, 2, 2,
             "the copy writes VMEM row 0, which a copy in flight writes");
  expectTrap(in + "nop\n" + out, TrapKind::MemoryOwned, 2, 2,
             "the copy reads VMEM row 0, which a copy in flight writes");
  expectTrap(out + "nop\n" + in, TrapKind::MemoryOwned, 2, 2,
             "the copy writes VMEM row 0, which a copy in flight reads");
  // Free again when it is done.
  expectNoTrap(in + "wait 1, flag=0\n v1 = vld.b32 0, region=a\n" + in + "wait 1, flag=0");
}

TEST(Trap, AddressOutOfBounds) {
  expectNoTrap("s1 = s.mov 8\n v1 = vld.b32 s1, region=a");
  expectTrap("s1 = s.mov 9\n v1 = vld.b32 s1, region=a", TrapKind::OutOfBounds, 1, 1,
             "reads row 16 of region `a`, which has 16");
  expectTrap("s1 = s.mov -1\n vst.b32 v1, s1, region=b", TrapKind::OutOfBounds, 1, 1,
             "writes row -1 of region `b`");
  expectNoTrap("s1 = s.mov 24\n v1 = vld.bf16 s1, region=a");
  expectTrap("s1 = s.mov 57\n v1 = vld.u8 s1, region=a", TrapKind::OutOfBounds, 1, 1,
             "reads row 64 of region `a`, which has 64");
  // Rows of which the mask has no cell are not touched.
  expectNoTrap("{ s1 = s.mov 12\n v2 = v.sublane } delay 1\n m1 = v.lt v2, 4 delay 1\n"
               "v1 = vld.b32 s1, mask=m1, region=a\n vst.b32 v2, s1, mask=m1, region=b");
  expectTrap("s1 = s.mov 64\n s2 = s.ld s1, region=w", TrapKind::OutOfBounds, 1, 1,
             "reads word 64 of region `w`, which has 64");
  expectTrap(
      "s1 = s.mov 9\n dma.start dst=s1, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0",
      TrapKind::OutOfBounds, 1, 1,
      "the destination of the copy covers words 1152 to 2176 of region `a`, which has 2048");
  expectTrap(
      "s1 = s.mov -8\n dma.start dst=0, src=s1, dstRegion=a, srcRegion=x, descriptor=in, flag=0",
      TrapKind::OutOfBounds, 1, 1, "the source of the copy");
}

TEST(Trap, BadOperand) {
  expectTrap(
      "s1 = s.mov 99\n dma.start dst=0, src=0, dstRegion=s1, srcRegion=x, descriptor=in, flag=0",
      TrapKind::BadOperand, 1, 1, "the destination of the copy is region 99 of 5");
  expectTrap(
      "s1 = s.mov 4\n dma.start dst=0, src=0, dstRegion=a, srcRegion=s1, descriptor=in, flag=0",
      TrapKind::BadOperand, 1, 1, "region `w`, is not in HBM");
  expectTrap("s1 = s.mov -2\n dma.start dst=0, src=0, dstRegion=a, srcRegion=x, count=s1, "
             "descriptor=in, flag=0",
             TrapKind::BadOperand, 1, 1, "count is -2");
  expectTrap("s1 = s.mov 9\n mxu.push v1, s1", TrapKind::BadOperand, 1, 1, "has 9 rows of 8");
  expectTrap("s1 = s.mov 16\n mxu.latch v1, s1", TrapKind::BadOperand, 1, 1,
             "names group 16 of 16");
  expectTrap("s1 = s.mov 129\n mxu.swap s1, 4", TrapKind::BadOperand, 1, 1, "129 x 4 of 128 x 128");
  expectTrap("s1 = s.mov 1\n flag.add 1, s1, 0", TrapKind::BadOperand, 1, 1, "names core 1 of 1");
}

// The network has taken none of them; for room that a core makes itself, the 33rd stalls.
TEST(Trap, QueueFull) {
  std::string body;
  for (int i = 0; i < 33; ++i)
    body += "dma.send dst=0, src=0, dstRegion=y, srcRegion=x, core=1, descriptor=send, flag=0\n"
            "nop\n";
  TrapInfo trap = trapOf(".program trap\n.cores 8\n.region x hbm 16\n.region y hbm 16\n"
                         ".descriptor send hbm to hbm chunk 128 arrival_flag 70\n"
                         "routine main {\n" +
                             body + "halt\n}\n",
                         {}, Target::load("v2")->withCores(8));
  EXPECT_EQ(trap.kind, TrapKind::QueueFull);
  EXPECT_THAT(trap.text, HasSubstr("32 copies to other cores are in flight; the queue holds 32"));
  EXPECT_EQ(trap.cycle, 32 * 2);
}

TEST(Trap, Deadlock) {
  expectTrap("nop\n wait 1, flag=7", TrapKind::Deadlock, 1, 1,
             "sync flag 7 is 0, and nothing in flight can bring it to 1");
  expectTrap(std::string(kIn) + "wait 2, flag=0", TrapKind::Deadlock, 1, 1, "sync flag 0 is 1");
}

TEST(Trap, LoopAndCallDepth) {
  // The target nests 8 of each.
  auto nest = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i)
      text += "loop 1 {\n";
    text += "nop\n";
    for (int i = 0; i < depth; ++i)
      text += "}\n";
    return text;
  };
  expectNoTrap(nest(8));
  expectTrap(nest(9), TrapKind::LoopDepth, 8, 8, "nests 8 loops");
  TrapInfo trap = trapOf(kHeader + std::string(R"(
routine main {
  call again
  halt
}
routine again {
  call again
  ret
}
)"));
  EXPECT_EQ(trap.kind, TrapKind::CallDepth);
  EXPECT_EQ(trap.bundle, 2);
  EXPECT_EQ(trap.cycle, 8 * 3);
}

TEST(Trap, ControlLeavesItsRoutine) {
  TrapInfo trap = trapOf(kHeader + std::string("routine main {\n call f\n halt\n}\n"
                                               "routine f {\n nop\n}\n"));
  EXPECT_EQ(trap.kind, TrapKind::BadControl);
  EXPECT_THAT(trap.text, HasSubstr("ends without `ret`"));
  trap = trapOf(kHeader + std::string("routine main {\n ret\n}\n"));
  EXPECT_EQ(trap.kind, TrapKind::BadControl);
}

TEST(Trap, BundleNotResident) {
  TrapInfo trap = trapOf(kHeader + std::string(R"(
.overlay bundles 0 3
.overlay bundles 0 3
.overlay bundles 3 5
routine main {
  nop
  call f
  halt
}
routine f {
  nop
  ret
}
)"));
  EXPECT_EQ(trap.kind, TrapKind::NotResident);
  EXPECT_EQ(trap.bundle, 3);
  TextProgram machine(kHeader + std::string(R"(
.overlay bundles 0 3
.overlay bundles 3 5
routine main {
  overlay 1
  call f
  halt
}
routine f {
  nop
  ret
}
)"));
  // 350 cycles and two bundles of 64 bytes at 64 bytes a cycle.
  EXPECT_EQ(machine.cycles(), (1 + 350 + 2) + 3 + 1 + 3 + 1);
  EXPECT_EQ(machine.stats.total.overlayCycles, 352);
}

TEST(Trap, CopiesInFlightAtHalt) {
  expectTrap(kIn, TrapKind::CopiesInFlight, 1, 1,
             "copies in flight: 1, the next completes at cycle 359");
}

TEST(Trap, Instruction) {
  expectNoTrap("trap 0, \"index out of range\"");
  expectTrap("s1 = s.mov 3\n trap s1, \"index out of range\"", TrapKind::Instruction, 1, 1,
             "index out of range");
}

TEST(Trap, Watchdog) {
  EmulatorOptions options;
  options.maxCycles = 1000;
  TrapInfo trap = trapOf(programOf("while {\n exit 1\n nop\n }"), options);
  EXPECT_EQ(trap.kind, TrapKind::Watchdog);
  EXPECT_THAT(trap.cycle, testing::AllOf(testing::Ge(990), testing::Le(1010)));
  // A copy that would outlast the limit is not started.
  trap = trapOf(R"(
.program long
.region x hbm 8
.region a vmem 8
.descriptor in hbm to vmem chunk 1024 counts [2000000000] src [0] dst [0]
routine main {
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0
  wait 1, flag=0
  halt
}
)",
                options);
  EXPECT_EQ(trap.kind, TrapKind::Watchdog);
}

TEST(Trap, Cancelled) {
  std::atomic<bool> cancel = true;
  EmulatorOptions options;
  options.cancel = &cancel;
  TrapInfo trap = trapOf(programOf("while {\n exit 1\n nop\n }"), options);
  EXPECT_EQ(trap.kind, TrapKind::Cancelled);
  EXPECT_EQ(toStatus(trap).code(), absl::StatusCode::kCancelled);
}

TEST(Trap, MemoryCap) {
  EmulatorOptions options;
  options.memoryCapBytes = 1 << 20;
  TrapInfo trap = trapOf(R"(
.program cap
.region x hbm 100000
.region a vmem 8
.descriptor out vmem to hbm chunk 1024
routine main {
  s1 = s.mov 0
  loop 1000 {
    dma.start dst=s1, src=0, dstRegion=x, srcRegion=a, descriptor=out, flag=0
    wait 1, flag=0
    s1 = s.add s1, 100
  }
  halt
}
)",
                         options);
  EXPECT_EQ(trap.kind, TrapKind::MemoryCap);
  EXPECT_EQ(toStatus(trap).code(), absl::StatusCode::kResourceExhausted);
}

TEST(Trap, TimingOnlyNeedsKnownControl) {
  EmulatorOptions options;
  options.timingOnly = true;
  // A product is not computed.
  TrapInfo trap = trapOf(programOf("mxu.push v0, 8 delay 150\n v1 = mxu.pop delay 3\n"
                                   "v2s v1, 0, 0 delay 15\n s1 = v2s.pop\n s2 = s.add s1, 1\n"
                                   "loop s2 {\n nop\n }"),
                         options);
  EXPECT_EQ(trap.kind, TrapKind::Unknown);
  EXPECT_EQ(trap.bundle, 5);
  EXPECT_EQ(toStatus(trap).code(), absl::StatusCode::kUnimplemented);
}

const char *const receives = R"(
.program host
.region h host 8
.region a hbm 8
.recv x f32[1024] in h channel 1
.descriptor in host to hbm chunk 1024
routine main {
  dma.start dst=0, src=0, dstRegion=a, srcRegion=h, descriptor=in, flag=0
  wait 1, flag=0
  halt
}
)";

TEST(Trap, HostCopiesWithoutAHost) { EXPECT_EQ(trapOf(receives).kind, TrapKind::Unsupported); }

TEST(Trap, HostThatFails) {
  class Failing : public HostPort {
    absl::Status send(int, absl::Span<const uint32_t>) override { return absl::OkStatus(); }
    absl::Status receive(int, absl::Span<uint32_t>, const std::atomic<bool> *) override {
      return absl::AbortedError("hung up");
    }
  } host;
  TrapInfo trap = trapOf(receives, {}, *Target::load("v2"), &host);
  EXPECT_EQ(trap.kind, TrapKind::Host);
  EXPECT_EQ(toStatus(trap), absl::AbortedError("hung up"));
}

TEST(Trap, NamesItsPlace) {
  TrapInfo trap = trapOf(programOf(R"(
  kernel "outer" source "model.py:10" {
    nop
    kernel "inner" source "model.py:11" {
      source "model.py:12:5" {
        v1 = xlu.pop
      }
    }
  }
)"));
  EXPECT_EQ(trap.kernel, "inner");
  EXPECT_EQ(trap.source, "model.py:12:5");
  EXPECT_EQ(std::string(toStatus(trap).message()),
            "FIFO empty: xlu.pop finds no result of the cross-lane unit (bundle 1, kernel `inner`, "
            "model.py:12:5, cycle 1)");
}

// Every kind has its program above.
class AllSeen : public testing::Environment {
public:
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) != "*")
      return;
    for (int kind = 0; kind < int(TrapKind::count_); ++kind)
      EXPECT_TRUE(seen.contains(TrapKind(kind))) << "no test commits: " << name(TrapKind(kind));
  }
};
const auto *allSeen = testing::AddGlobalTestEnvironment(new AllSeen);

} // namespace
