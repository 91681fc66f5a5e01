// Whole programs on the emulator: results and cycles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Emulator.h"

#include <array>
#include <atomic>
#include <tuple>

#include "test/unit/runtime/Emulator/TextProgram.h"
#include "gmock/gmock.h"

using namespace systole;
using namespace systole::test;

namespace {

// y = 2 x + 1, eight rows at a time. On v2 a row of 512 bytes takes the HBM
// channel 512 / 511.43 cycles.
const char *kAxpb = R"(
.program axpb
.region x hbm 64
.region y hbm 64
.region buffer vmem 64
.descriptor in  hbm to vmem chunk 1024 counts [8] src [1024] dst [1024]
.descriptor out vmem to hbm chunk 1024 counts [8] src [1024] dst [1024]
routine main {
  { s1 = s.mov 0
    dma.start dst=0, src=0, dstRegion=buffer, srcRegion=x, descriptor=in, flag=0 }
  wait 1, flag=0
  kernel "scale" source "axpb.py:3" kind "loop" flops 16384 {
    loop 8 {
      v0 = vld.b32 s1, region=buffer delay 15
      v1 = v.fma v0, 2.0, 1.0 delay 15
      vst.b32 v1, s1, region=buffer
      s1 = s.add s1, 8 delay 15
    }
  }
  dma.start dst=0, src=0, dstRegion=y, srcRegion=buffer, descriptor=out, flag=1
  wait 1, flag=1
  halt
}
)";

TEST(Emulator, ScalesRows) {
  TextProgram machine(kAxpb);
  std::vector<float> x(64 * 128);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i) * 0.25f - 100;
  machine.write("x", x);
  int64_t cycles = machine.cycles();
  std::vector<float> y = machine.read<float>("y");
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[i], 2 * x[i] + 1) << i;
  // Copy in: issued at 0, starts at 350, takes ceil(32768 / 511.43) = 65: done at
  // 415. The wait issues at 1 and the loop's bundle at 416; the body takes 8 x 49.
  // Copy out is issued at 417 + 392 = 809, done at 809 + 415 = 1224; halt issues
  // at 1225.
  EXPECT_EQ(cycles, 1226);
  const KernelStats &kernel = machine.stats.kernels[0];
  EXPECT_EQ(kernel.calls, 1);
  EXPECT_EQ(kernel.cycles, 393);
  EXPECT_EQ(kernel.use.bundles, 1 + 8 * 4);
  EXPECT_EQ(kernel.use.valuOps, 8);
  // 45 empty cycles an iteration. Scalars alone: the loop's bundle, and the addition of each one.
  EXPECT_EQ(kernel.use.delayCycles, 8 * 45);
  EXPECT_EQ(kernel.use.loopDelayCycles, 8 * 45);
  EXPECT_EQ(kernel.use.scalarBundles, 1 + 8);
  EXPECT_EQ(machine.stats.total.hbmReadBytes, 32768);
  EXPECT_EQ(machine.stats.total.hbmWriteBytes, 32768);
  EXPECT_EQ(machine.stats.total.hbmCycles, 130);
  EXPECT_EQ(machine.stats.total.waitCycles, 414 + 414);
  // From 2 to 350, where the first copy begins, and from 811 to 809 + 350.
  EXPECT_EQ(machine.stats.total.waitStartCycles, 348 + 348);
  EXPECT_EQ(machine.stats.total.cycles, cycles);
}

TEST(Emulator, CallersOfARoutineShareItsCyclesOut) {
  TextProgram machine(R"(
.program calls
.kernel once bundles 0 1
.kernel twice bundles 1 2
routine main {
  call work
  loop 2 {
    call work
  }
  halt
}
routine work {
  nop delay 9
  ret
}
)");
  machine.cycles();
  ASSERT_EQ(machine.stats.kernels.size(), 2u);
  // The call, ten cycles of the nop and `ret`, and the taken transfers of call and return.
  const KernelStats &once = machine.stats.kernels[0];
  EXPECT_EQ(once.calls, 1);
  EXPECT_EQ(once.use.bundles, 3);
  EXPECT_EQ(once.use.delayCycles, 9);
  EXPECT_EQ(once.cycles, 3 + 9 + once.controlCycles);
}

TEST(Emulator, AssumesControlThatDependsOnData) {
  EmulatorOptions options;
  options.timingOnly = true;
  options.assumedTrips = 3;
  TextProgram machine(R"(
.program assumed
.region x hbm 8
.region w smem 128
.argument count i32[8,128] in x
.descriptor in hbm to smem chunk 128
routine main {
  dma.start dst=0, src=0, dstRegion=w, srcRegion=x, descriptor=in, flag=0
  wait 1, flag=0
  s1 = s.ld 0, region=w delay 3
  s2 = s.add s1, 1
  loop s2 {
    nop
  }
  if s2 {
    nop
  } else {
    nop
    nop
    nop
    nop
  }
  while {
    exit s2
    nop
  }
  halt
}
)",
                      *Target::load("v2"), options);
  EXPECT_GT(machine.cycles(), 0);
  // Five before and with the loop, 3 nops; the if, and its else, which costs more; the while, its
  // exit 4 times, its nop 3 times; halt.
  EXPECT_EQ(machine.stats.total.use.bundles, 5 + 3 + 1 + 4 + 1 + 4 + 3 + 1);
  using Kind = Assumption::Kind;
  std::vector<std::tuple<Kind, int64_t, int64_t>> assumed;
  for (const Assumption &each : machine.stats.assumptions)
    assumed.push_back({each.kind, each.bundle, each.times});
  EXPECT_THAT(assumed,
              testing::ElementsAre(std::tuple(Kind::Trips, 4, 1), std::tuple(Kind::Branch, 6, 1),
                                   std::tuple(Kind::Trips, 13, 4)));
}

TEST(Emulator, MemoryIsCountedCappedAndReleased) {
  EmulatorOptions options;
  options.memoryCapBytes = 1 << 20;
  TextProgram machine(R"(
.program memory
.region small hbm 64
.region large hbm 100000
.region a vmem 8
routine main {
  halt
}
)",
                      *Target::load("v2"), options);
  machine.write("small", std::vector<int32_t>(64 * 128, 7));
  EXPECT_EQ(machine.read<int32_t>("small")[5], 7);
  int large = machine.region("large");
  EXPECT_EQ(machine.emulator->writeHbm(large).status().code(),
            absl::StatusCode::kResourceExhausted);
  // HBM counts as used from there on.
  EXPECT_FALSE(machine.emulator->run().ok());
  EXPECT_EQ(machine.emulator->writeHbm(99).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(machine.emulator->writeHbm(machine.region("a")).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(machine.emulator->readHbm(large, 1).status().code(), absl::StatusCode::kNotFound);
}

TEST(Emulator, ProgramsMustFitTheTarget) {
  const char *text = ".program big\n.region x hbm 20000000\nroutine main {\n halt\n}\n";
  TextProgram machine(text);
  EXPECT_EQ(machine.loadStatus.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(machine.loadStatus.message()),
              testing::HasSubstr("uses 20000000 rows of HBM; target v2 has 16777216"));
  // v3 has twice as much, of which nothing is touched.
  TextProgram larger(text, *Target::load("v3"));
  EXPECT_EQ(larger.cycles(), 1);
  EXPECT_EQ(larger.stats.hbmTouchedBytes, 0);
}

TEST(Emulator, RecordsSpans) {
  EmulatorOptions options;
  options.trace = true;
  TextProgram machine(kAxpb, *Target::load("v2"), options);
  std::atomic<int64_t> progress = 0;
  int64_t cycles = machine.cycles(&progress);
  EXPECT_EQ(progress.load(), cycles);
  std::vector<std::array<int64_t, 3>> spans;
  for (const TraceEvent &event : machine.stats.trace)
    spans.push_back({int64_t(event.kind), event.begin, event.end});
  constexpr auto kernel = int64_t(TraceEvent::Kind::Kernel), copy = int64_t(TraceEvent::Kind::Copy),
                 wait = int64_t(TraceEvent::Kind::Wait);
  using Span = std::array<int64_t, 3>;
  // The waits issue at 1 and 810; their stalls end when the next bundle issues.
  EXPECT_THAT(spans, testing::UnorderedElementsAre(Span{copy, 0, 415}, Span{wait, 2, 416},
                                                   Span{kernel, 416, 809}, Span{copy, 809, 1224},
                                                   Span{wait, 811, 1225}));
}

} // namespace
