// Copies: contents, completion, other clocks and bandwidths, several
// cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <numeric>

#include "dialects/Machine/Target/Builtin.h"
#include "test/unit/runtime/Emulator/TextProgram.h"
#include "gmock/gmock.h"

using namespace systole;
using namespace systole::test;

namespace {

// v2 with some of its text replaced.
Target v2With(std::initializer_list<std::pair<const char *, const char *>> changes) {
  std::string text;
  for (const BuiltinTarget &target : builtinTargets())
    if (target.name == "v2")
      text = std::string(target.text);
  for (auto [from, to] : changes) {
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, std::strlen(from), to);
  }
  absl::StatusOr<Target> target = Target::parse(text, "changed");
  EXPECT_TRUE(target.ok()) << target.status();
  return *target;
}

std::vector<int32_t> iota(size_t count) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

constexpr char kOverlay[] = R"(
.program overlaid
.region x hbm 1000
.region a vmem 1000
.descriptor rows hbm to vmem chunk 128 counts [1000] src [128] dst [128]
.overlay bundles 0 5
.overlay bundles 5 8
routine main {
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=rows, flag=0
  overlay 1
  call f
  wait 1, flag=0
  halt
}
routine f {
  nop
  nop
  ret
})";

// HBM moves 512 bytes a cycle. The copy is issued in cycle 0 and has the channel from 350 to 1350.
// The load of three bundles, issued in cycle 1, follows: it has the channel for one cycle, and the
// instruction memory takes 64 bytes a cycle, so its bundles are there at 1353. Alone it would have
// taken from 2 to 355. The copy is done when it is waited for.
TEST(Dma, OverlaysShareTheChannel) {
  Target target =
      v2With({{"hbm_gb_per_s_per_chip { value: 716 ", "hbm_gb_per_s_per_chip { value: 716.8 "}});
  for (bool timingOnly : {false, true}) {
    EmulatorOptions options;
    options.timingOnly = timingOnly;
    TextProgram machine(kOverlay, target, options);
    machine.cycles();
    const KernelStats &total = machine.stats.total;
    EXPECT_EQ(total.overlayCycles, 1353 - 2);
    EXPECT_EQ(total.waitCycles, 0);
    EXPECT_EQ(total.hbmReadBytes, 1000 * 512 + 3 * 64);
    EXPECT_EQ(total.hbmCycles, 1000 + 1);
    EXPECT_EQ(total.hbmWriteBytes, 0);
  }
}

// 8 bytes a cycle are slower than the load of instruction memory: 3 * 64 bytes in 24 cycles.
TEST(Dma, OverlaysArriveNoFasterThanHbmReads) {
  Target target =
      v2With({{"hbm_gb_per_s_per_chip { value: 716 ", "hbm_gb_per_s_per_chip { value: 11.2 "}});
  std::string text(kOverlay);
  size_t copy = text.find("  dma.start"), end = text.find('\n', copy);
  text.replace(copy, end - copy, "  nop");
  size_t wait = text.find("  wait 1, flag=0");
  text.replace(wait, std::strlen("  wait 1, flag=0"), "  nop");
  TextProgram machine(text, target);
  machine.cycles();
  EXPECT_EQ(machine.stats.total.overlayCycles, 350 + 24);
  EXPECT_EQ(machine.stats.total.hbmReadBytes, 3 * 64);
}

TEST(Dma, StridedCopies) {
  TextProgram machine(R"(
.program strides
.region x hbm 12
.region y hbm 12
.region a vmem 12
.descriptor column hbm to vmem chunk 128 counts [4] src [384] dst [128]
.descriptor back vmem to hbm chunk 1536
routine main {
  { s1 = s.mov 0
    s2 = s.mov 0 }
  loop 3 {
    dma.start dst=s2, src=s1, dstRegion=a, srcRegion=x, descriptor=column, flag=0
    { s1 = s.add s1, 1
      s2 = s.add s2, 4 }
  }
  wait 3, flag=0
  dma.start dst=0, src=0, dstRegion=y, srcRegion=a, descriptor=back, flag=1
  wait 1, flag=1
  halt
}
)");
  machine.write("x", iota(12 * 128));
  // Column c is issued at 2 + 2 c; each takes ceil(2048 / 511.43) = 5 cycles, the
  // first from 352: done at 357, 362, 367. The next bundle issues at 368; the
  // copy back takes ceil(6144 / 511.43) = 13: done at 368 + 350 + 13 = 731.
  EXPECT_EQ(machine.cycles(), 733);
  std::vector<int32_t> y = machine.read<int32_t>("y");
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 4; ++r)
      for (int l = 0; l < 128; ++l)
        ASSERT_EQ(y[size_t(((c * 4) + r) * 128 + l)], (r * 3 + c) * 128 + l);
  EXPECT_EQ(machine.stats.total.hbmReadBytes, 12 * 512);
  EXPECT_EQ(machine.stats.total.hbmWriteBytes, 12 * 512);
  EXPECT_EQ(machine.stats.total.hbmCycles, 15 + 13);
}

TEST(Dma, CountReplacesTheInnermost) {
  TextProgram machine(R"(
.program count
.region x hbm 16
.region y hbm 16
.descriptor some hbm to hbm chunk 128 counts [16] src [128] dst [128]
routine main {
  s1 = s.mov 3
  dma.start dst=0, src=0, dstRegion=y, srcRegion=x, count=s1, descriptor=some, flag=0
  s1 = s.mov 0
  dma.start dst=0, src=0, dstRegion=y, srcRegion=x, count=s1, descriptor=some, flag=1
  wait 1, flag=1
  wait 1, flag=0
  halt
}
)");
  machine.write("x", iota(16 * 128));
  // HBM to HBM passes the channel twice: ceil(2 * 1536 / 511.43) = 7. An empty
  // copy is done at once: its wait at cycle 4 does not stall.
  EXPECT_EQ(machine.cycles(), 1 + 350 + 7 + 1 + 1);
  std::vector<int32_t> y = machine.read<int32_t>("y");
  for (int i = 0; i < 16 * 128; ++i)
    ASSERT_EQ(y[size_t(i)], i < 3 * 128 ? i : 0);
}

TEST(Dma, WordsAreCounted) {
  TextProgram machine(R"(
.program words
.region x hbm 16
.region a vmem 16
.region n smem 4
.descriptor rows hbm to vmem chunk 128 counts [16] src [128] dst [128] counts_words
.descriptor words hbm to smem chunk 3 counts_words
routine main {
  s1 = s.mov 3
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, count=s1, descriptor=rows, flag=0 delay 1
  dma.start dst=3, src=3, dstRegion=a, srcRegion=x, count=s1, descriptor=rows, flag=0
  s1 = s.mov 0
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, count=s1, descriptor=rows, flag=1 delay 1
  dma.start dst=0, src=0, dstRegion=n, srcRegion=x, descriptor=words, flag=1
  wait 768, flag=0
  s2 = flag.read flag=0
  wait 3, flag=1
  s3 = flag.read flag=1
  trap s2, 0
  trap s3, 0
  halt
}
.trap "a flag is left"
)");
  machine.write("x", iota(16 * 128));
  // The first copy is issued at 1, and each of the two takes ceil(1536 / 511.43) = 4 cycles: they
  // are done at 355 and 359. Only both have the words that the first wait is for, so the next
  // bundle issues at 360. The third is empty and counts nothing. The fourth takes
  // ceil(512 / 511.43) = 2, until 361, where the wait for it issues; four bundles follow.
  EXPECT_EQ(machine.cycles(), 361 + 1 + 4);
}

TEST(Dma, SmallChunksCostTheLeastChunk) {
  // 16 single words, 64 apart: each as 512 bytes, so 8192 / 511.43 = 17 cycles.
  TextProgram machine(R"(
.program words
.region x hbm 8
.region y hbm 1
.region w smem 128
.descriptor gather hbm to smem chunk 1 counts [16] src [64] dst [1]
.descriptor back smem to hbm chunk 128
routine main {
  s1 = s.mov 3
  dma.start dst=4, src=s1, dstRegion=w, srcRegion=x, descriptor=gather, flag=0
  wait 1, flag=0
  dma.start dst=0, src=0, dstRegion=y, srcRegion=w, descriptor=back, flag=0
  wait 1, flag=0
  halt
}
)");
  machine.write("x", iota(8 * 128));
  EXPECT_EQ(machine.cycles(), 1 + (350 + 17 + 1) + (350 + 2 + 1) + 1);
  std::vector<int32_t> y = machine.read<int32_t>("y");
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(y[size_t(i)], i >= 4 && i < 20 ? 3 + 64 * (i - 4) : 0);
  EXPECT_EQ(machine.stats.total.hbmReadBytes, 64);
}

TEST(Dma, LocalCopiesHaveTheirOwnChannel) {
  // 64 rows on either channel at 512 bytes a cycle; side by side they take no
  // longer than one.
  const char *text = R"(
.program channels
.region x hbm 64
.region a vmem 64
.region b vmem 64
.region c vmem 64
.descriptor in hbm to vmem chunk 8192
.descriptor local vmem to vmem chunk 8192
routine main {
  dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0
  nop
  dma.start dst=0, src=0, dstRegion=c, srcRegion=b, descriptor=local, flag=0
  wait 2, flag=0
  halt
}
)";
  // 65 cycles from 350 and 64 from 352.
  TextProgram machine(text);
  EXPECT_EQ(machine.cycles(), 352 + 64 + 1 + 1);
  EXPECT_EQ(machine.stats.total.hbmCycles, 65);
  EXPECT_EQ(machine.stats.total.localCycles, 64);
}

// One program on v2, with half its clock, and with a third of its bandwidth.
TEST(Dma, OtherClocksGiveTheSameBits) {
  const char *text = R"(
.program bits
.region x hbm 256
.region y hbm 256
.region a vmem 256
.descriptor in hbm to vmem chunk 32768
.descriptor out vmem to hbm chunk 32768
routine main {
  { s1 = s.mov 0
    dma.start dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in, flag=0 }
  wait 1, flag=0
  loop 32 {
    v0 = vld.b32 s1, region=a delay 3
    eup.tanh v0 delay 15
    v1 = eup.pop delay 1
    vst.b32 v1, s1, region=a
    s1 = s.add s1, 8
  }
  dma.start dst=0, src=0, dstRegion=y, srcRegion=a, descriptor=out, flag=0
  wait 1, flag=0
  halt
}
)";
  std::vector<float> x(256 * 128);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(int(i) - 16000) / 5000;
  auto run = [&](const Target &target, int64_t &cycles) {
    TextProgram machine(text, target);
    machine.write("x", x);
    cycles = machine.cycles();
    return machine.read<uint32_t>("y");
  };
  int64_t v2, slowClock, slowMemory;
  std::vector<uint32_t> bits = run(*Target::load("v2"), v2);
  EXPECT_EQ(run(v2With({{"value: 700 ", "value: 350 "}}), slowClock), bits);
  EXPECT_EQ(run(v2With({{"value: 716 ", "value: 238.7 "}}), slowMemory), bits);
  // Compute: 32 times 4 + 16 + 2 + 1 + 1. Copies: 131072 bytes, twice.
  auto predicted = [](double bytesPerCycle) {
    int64_t copy = 350 + int64_t(std::ceil(131072 / bytesPerCycle));
    return (copy + 1) + 1 + 32 * 24 + (copy + 1) + 1;
  };
  EXPECT_EQ(v2, predicted(716e9 / 2 / 700e6));
  EXPECT_EQ(slowClock, predicted(716e9 / 2 / 350e6));
  EXPECT_EQ(slowMemory, predicted(238.7e9 / 2 / 700e6));
  EXPECT_LT(slowClock, v2);
  EXPECT_LT(v2, slowMemory);
}

TEST(Dma, TimingOnlyTakesTheSameCycles) {
  const char *text = R"(
.program timing
.region x hbm 64
.region i hbm 1
.region a vmem 64
.region w smem 128
.descriptor in hbm to vmem chunk 1024
.descriptor row hbm to vmem chunk 128
.descriptor index hbm to smem chunk 128
routine main {
  { s1 = s.mov 0
    dma.start dst=0, src=0, dstRegion=w, srcRegion=i, descriptor=index, flag=0 }
  wait 1, flag=0
  loop 8 {
    s2 = s.ld s1, region=w delay 3
    dma.start dst=s1, src=s2, dstRegion=a, srcRegion=x, descriptor=row, flag=1
    s1 = s.add s1, 1
  }
  wait 8, flag=1
  loop 4 {
    mxu.push v0, 8 delay 7
  }
  nop delay 130
  loop 4 {
    v1 = mxu.pop
  }
  halt
}
)";
  TextProgram machine(text);
  machine.write("i", std::vector<int32_t>{5, 3, 9, 60, 0, 1, 2, 63});
  int64_t cycles = machine.cycles();
  EmulatorOptions options;
  options.timingOnly = true;
  TextProgram timing(text, *Target::load("v2"), options);
  EXPECT_EQ(timing.cycles(), cycles);
  EXPECT_EQ(timing.stats.total.use.mxuPushes, 4);
  EXPECT_EQ(timing.stats.total.hbmReadBytes, machine.stats.total.hbmReadBytes);
  EXPECT_EQ(timing.emulator->readHbm(0).status().code(), absl::StatusCode::kFailedPrecondition);
}

// The queue holds 32 copies. Copy k is issued at 2 + 2 k and takes ceil(4096 / 511.43) = 9 cycles,
// the first from 352: done at 361 + 9 k. Copy 32 stalls from 66 to 361; the next ones are ready 2
// cycles after the one before, and stall for another 7, until the next copy is done. The last is
// issued at 361 + 7 * 9 = 424, and has the channel, from 711 on the 33rd's, at 711 + 8 * 9 = 783.
TEST(Dma, AFullQueueStalls) {
  const char *text = R"(
.program queue
.region y hbm 320
.region a vmem 8
.descriptor out vmem to hbm chunk 1024
routine main {
  s1 = s.mov 0
  loop 40 {
    dma.start dst=s1, src=0, dstRegion=y, srcRegion=a, descriptor=out, flag=0
    s1 = s.add s1, 8
  }
  wait 40, flag=0
  halt
}
)";
  for (bool timingOnly : {false, true}) {
    EmulatorOptions options;
    options.timingOnly = timingOnly;
    TextProgram machine(text, *Target::load("v2"), options);
    EXPECT_EQ(machine.cycles(), 783 + 2);
    // The wait is issued at 426 and ends a cycle behind the last copy.
    EXPECT_EQ(machine.stats.total.waitCycles, 295 + 7 * 7 + (784 - 427));
    EXPECT_EQ(machine.stats.total.hbmWriteBytes, 40 * 4096);
  }
}

TEST(Dma, RunsAreRepeatable) {
  TextProgram machine(R"(
.program again
.region c hbm 8
.region y hbm 8
.region a vmem 8
.constant c f32 splat 1.5 count 1024
.descriptor in hbm to vmem chunk 1024
.descriptor out vmem to hbm chunk 1024
routine main {
  dma.start dst=0, src=0, dstRegion=a, srcRegion=c, descriptor=in, flag=0
  wait 1, flag=0
  v0 = vld.b32 0, region=a delay 3
  v1 = v.fadd v1, v0 delay 1
  vst.b32 v1, 0, region=a
  dma.start dst=0, src=0, dstRegion=c, srcRegion=a, descriptor=out, flag=0
  wait 1, flag=0
  dma.start dst=0, src=0, dstRegion=y, srcRegion=a, descriptor=out, flag=0
  wait 1, flag=0
  halt
}
)");
  // The program overwrites its constant and adds to a register that starts at 0.
  int64_t first = machine.cycles();
  EXPECT_EQ(machine.cycles(), first);
  EXPECT_EQ(machine.read<float>("y")[77], 1.5f);
  EXPECT_GE(machine.stats.hbmTouchedBytes, 2 * 4096);
}

} // namespace
