// From counts to a report, with numbers worked out by hand.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Report/Report.h"

namespace systole {
namespace {

// Two calls of a kernel that pushes, one that never runs, and code outside.
struct Example {
  Program program;
  RunStats stats;

  Example() {
    program.header.set_name("example");
    program.header.set_precision("default");
    program.header.set_cores(1);
    program.header.set_hbm_rows(10);
    program.header.set_vmem_rows(4);
    program.header.set_compile_seconds(1.5);
    program.header.set_flops(7);
    program.code.resize(3);
    program::Kernel *dot = program.header.add_kernels();
    dot->set_name("dot");
    program::Location *location = program.header.add_locations();
    location->set_source("lib/a.py:1:2");
    location->set_user("b.py:3:4");
    location->set_name_stack("jit(f)/transpose(jvp(Net))/dense/dot_general");
    dot->set_location(1);
    dot->set_kind("dot");
    dot->set_flops(1000);
    program.header.add_kernels()->set_name("idle");

    KernelStats run;
    run.calls = 2;
    run.cycles = 900;
    run.waitCycles = 200;
    run.controlCycles = 10;
    run.overlayCycles = 40;
    run.use.bundles = 600;
    run.use.delayCycles = 50;
    run.use.valuOps = 301;
    run.use.loads = 120;
    run.use.stores = 60;
    run.use.mxuPushes = 80;
    run.use.mxuCycles = 640;
    run.use.mxuLatches = 16;
    run.use.mxuLatchCycles = 128;
    run.use.xluCycles = 5;
    run.use.eupCycles = 6;
    run.hbmReadBytes = 4096;
    run.hbmWriteBytes = 1024;
    run.hbmCycles = 77;
    stats.outside.cycles = 100;
    stats.outside.use.bundles = 100;
    stats.kernels = {run, KernelStats()};
    stats.total = run;
    stats.total.cycles = 1000;
    stats.total.use.bundles = 700;
    stats.cycles = 1000;
  }
};

TEST(MakeReport, CountsAsWorkedOutByHand) {
  Example example;
  absl::StatusOr<Target> v3 = Target::load("v3");
  ASSERT_TRUE(v3.ok()) << v3.status();
  Report report = makeReport(example.program, example.stats, *v3);
  EXPECT_EQ(report.target, "v3");
  EXPECT_EQ(report.targetHash, v3->hash());
  EXPECT_EQ(report.cycles, 1000);
  // v3 runs at 940 MHz and has two MXUs of 128 x 128 in a core.
  EXPECT_DOUBLE_EQ(report.deviceSeconds, 1000 / 940e6);
  EXPECT_EQ(report.mxus, 2);
  EXPECT_EQ(report.mxuBusyCycles, 640);
  EXPECT_DOUBLE_EQ(report.mxuUtilization(), 0.32);
  EXPECT_DOUBLE_EQ(report.peakFlopsPerSecond, 2 * 128 * 128 * 2 * 940e6);
  EXPECT_EQ(report.hbmReadBytes, 4096);
  EXPECT_EQ(report.hbmWriteBytes, 1024);
  EXPECT_EQ(report.hbmPeakBytes, 10 * 512);
  EXPECT_EQ(report.vmemPeakBytes, 4 * 512);
  EXPECT_EQ(report.bundles, 700);
  EXPECT_EQ(report.programBundles, 3);
  EXPECT_EQ(report.compileSeconds, 1.5);
  EXPECT_EQ(report.flops, 2000) << "two calls of 1,000, not the 7 that the header guesses";
  // One chip at 2 USD an hour, 0.60 preemptible.
  EXPECT_EQ(report.chips, 1);
  EXPECT_DOUBLE_EQ(report.usd, 1000 / 940e6 / 3600 * 2.0);
  EXPECT_DOUBLE_EQ(report.usdPreemptible, 1000 / 940e6 / 3600 * 0.6);
}

TEST(MakeReport, BoundsSpreadWorkOverEqualUnits) {
  Example example;
  Report report = makeReport(example.program, example.stats, *Target::load("v3"));
  EXPECT_EQ(report.bounds[Unit::Mxu], 320) << "640 cycles on two arrays";
  EXPECT_EQ(report.bounds[Unit::Valu], 151) << "301 operations on two ALUs";
  EXPECT_EQ(report.bounds[Unit::Load], 120);
  EXPECT_EQ(report.bounds[Unit::Store], 60);
  EXPECT_EQ(report.bounds[Unit::Xlu], 5);
  EXPECT_EQ(report.bounds[Unit::Eup], 6);
  EXPECT_EQ(report.bounds[Unit::Hbm], 77);
  // v2 has one MXU.
  EXPECT_EQ(makeReport(example.program, example.stats, *Target::load("v2")).bounds[Unit::Mxu], 640);
  // Where weights take longer than pushes, they are the bound.
  example.stats.total.use.mxuLatchCycles = 1000;
  EXPECT_EQ(makeReport(example.program, example.stats, *Target::load("v3")).bounds[Unit::Mxu], 500);
}

TEST(MakeReport, EveryCycleHasOneUse) {
  Example example;
  Report report = makeReport(example.program, example.stats, *Target::load("v3"));
  auto cycles = [&](const std::string &name) {
    for (const CycleUse &use : report.cycleUses)
      if (use.name == name)
        return use.cycles;
    return int64_t(-1);
  };
  EXPECT_EQ(cycles("bundles"), 700);
  EXPECT_EQ(cycles("delay"), 50);
  EXPECT_EQ(cycles("wait"), 200);
  EXPECT_EQ(cycles("control"), 10);
  EXPECT_EQ(cycles("overlay"), 40);
  EXPECT_EQ(cycles("idle"), 0);
  EXPECT_EQ(std::accumulate(report.cycleUses.begin(), report.cycleUses.end(), int64_t(0),
                            [](int64_t sum, const CycleUse &use) { return sum + use.cycles; }),
            1000);
}

TEST(MakeReport, ListsKernelsThatRan) {
  Example example;
  Report report = makeReport(example.program, example.stats, *Target::load("v3"));
  ASSERT_EQ(report.kernels.size(), 2u);
  const KernelReport &dot = report.kernels[0];
  EXPECT_EQ(dot.name, "dot");
  EXPECT_EQ(dot.source, "lib/a.py:1:2");
  EXPECT_EQ(dot.userSource, "b.py:3:4");
  EXPECT_EQ(dot.nameStack, "jit(f)/transpose(jvp(Net))/dense/dot_general");
  EXPECT_EQ(dot.calls, 2);
  EXPECT_EQ(dot.cycles, 900);
  EXPECT_EQ(dot.stallCycles, 240) << "copies 200, instruction memory 40";
  EXPECT_EQ(dot.delayCycles, 50);
  EXPECT_EQ(dot.flops, 2000);
  EXPECT_EQ(dot.bytes, 5120);
  EXPECT_EQ(boundBy(dot.bounds, dot.cycles), "latency") << "320 of 900 cycles is not half";
  EXPECT_EQ(report.kernels[1].name, kSequencer);
  EXPECT_EQ(report.kernels[1].cycles, 100);
}

TEST(MakeReport, RangesOfOneKernelAreOneLine) {
  Example example;
  // The second entry becomes another range of the first.
  *example.program.header.mutable_kernels(1) = example.program.header.kernels(0);
  example.program.header.mutable_kernels(1)->set_part_of(1);
  example.stats.kernels[1].calls = 1;
  example.stats.kernels[1].cycles = 30;
  example.stats.kernels[1].waitCycles = 20;
  example.stats.kernels[1].use.loads = 5;
  Report report = makeReport(example.program, example.stats, *Target::load("v3"));
  ASSERT_EQ(report.kernels.size(), 2u);
  EXPECT_EQ(report.kernels[0].calls, 2);
  EXPECT_EQ(report.kernels[0].cycles, 930);
  EXPECT_EQ(report.kernels[0].stallCycles, 260);
  EXPECT_EQ(report.kernels[0].bounds[Unit::Load], 125);
  EXPECT_EQ(report.kernels[0].flops, 2000);
  EXPECT_EQ(report.flops, 2000) << "two executions, whatever the number of ranges";
}

TEST(MakeReport, CallsFromOnePlaceAreOneLine) {
  Example example;
  program::ProgramHeader &header = example.program.header;
  *header.mutable_kernels(1) = header.kernels(0);
  example.stats.kernels[1].calls = 3;
  example.stats.kernels[1].cycles = 30;
  Report report = makeReport(example.program, example.stats, *Target::load("v3"));
  ASSERT_EQ(report.kernels.size(), 2u);
  EXPECT_EQ(report.kernels[0].calls, 5);
  EXPECT_EQ(report.kernels[0].flops, 5000);

  // From another layer they are another line.
  *header.add_locations() = header.locations(0);
  header.mutable_locations(1)->set_name_stack("jit(f)/other/dot_general");
  header.mutable_kernels(1)->set_location(2);
  report = makeReport(example.program, example.stats, *Target::load("v3"));
  ASSERT_EQ(report.kernels.size(), 3u);
  EXPECT_EQ(report.kernels[1].nameStack, "jit(f)/other/dot_general");
  EXPECT_EQ(report.kernels[1].calls, 3);
}

TEST(MakeReport, SaysWhichLatency) {
  KernelStats stats;
  stats.cycles = 1000;
  stats.waitCycles = 400;
  stats.waitStartCycles = 150;
  stats.controlCycles = 20;
  stats.overlayCycles = 30;
  stats.use.bundles = 250;
  stats.use.scalarBundles = 90;
  stats.use.delayCycles = 300;
  stats.use.loopDelayCycles = 180;
  const LatencyUse use = latencyUse(stats);
  EXPECT_EQ(use[Latency::DmaStart], 150);
  EXPECT_EQ(use[Latency::DmaData], 250);
  EXPECT_EQ(use[Latency::Chain], 180);
  EXPECT_EQ(use[Latency::Fill], 120);
  EXPECT_EQ(use[Latency::Scalar], 90);
  EXPECT_EQ(use[Latency::Control], 20);
  EXPECT_EQ(use[Latency::Overlay], 30);
  EXPECT_EQ(use[Latency::Issue], 160);
  EXPECT_EQ(std::accumulate(use.cycles.begin(), use.cycles.end(), int64_t(0)), stats.cycles);
  EXPECT_EQ(use.largest(), Latency::DmaData);
  EXPECT_EQ(latencyName(use.largest()), "DMA data");
}

TEST(MakeReport, SlicePaysForWholeChips) {
  Example example;
  // Three cores of a machine with two a chip are two chips.
  Report report = makeReport(example.program, example.stats, *Target::load("v3-3"));
  EXPECT_EQ(report.chips, 2);
  EXPECT_DOUBLE_EQ(report.usd, 1000 / 940e6 / 3600 * 2.0 * 2);
}

// Cores 0, 1, 6 and 7 of a v3-8, chips 0 and 3.
struct SliceExample : Example {
  SliceExample() {
    program.header.set_cores(4);
    program.header.set_slice_cores(8);
    program.header.mutable_kernels(1)->set_name("all_reduce.1");
    program.header.mutable_kernels(1)->set_kind("collective");
    KernelStats reduce;
    reduce.calls = 8; // two on each core
    reduce.cycles = 1000;
    reduce.waitCycles = 900;
    reduce.sentBytes = 21'000'000;
    stats.kernels[1] = reduce;
    stats.total.add(reduce);
    stats.sliceCores = 8;
    stats.places = {0, 1, 6, 7};
    stats.coreCycles = {1000, 900, 800, 700};
    stats.links.resize(24);
    stats.links[1] = {7'000'000, 94'001};
    stats.links[8] = {14'000'000, 500};
  }
};

TEST(MakeReport, SlicesHaveCoresLinksAndCollectives) {
  SliceExample example;
  const Report report = makeReport(example.program, example.stats, *Target::load("v3-8"));
  EXPECT_EQ(report.cores, 4);
  EXPECT_EQ(report.targetCores, 8);
  ASSERT_EQ(report.slice.cores.size(), 4u);
  EXPECT_EQ(report.slice.cores[2].place, 6);
  EXPECT_EQ(report.slice.cores[2].chip, 3);
  EXPECT_EQ(report.slice.cores[2].cycles, 800);
  EXPECT_EQ(report.slice.sentBytes, 21'000'000);
  EXPECT_EQ(report.kernels[1].sentBytes, 21'000'000);
  EXPECT_EQ(collectiveCycles(report), 1000);
  // Six links of a chip: -x, +x, -y, +y, -z, +z.
  ASSERT_EQ(report.slice.links.size(), 2u);
  EXPECT_EQ(report.slice.links[0].name, "chip 0 +x");
  EXPECT_EQ(report.slice.links[0].bytes, 7'000'000);
  EXPECT_EQ(report.slice.links[0].cycles, 94'001);
  EXPECT_EQ(report.slice.links[1].name, "chip 1 -y");
}

TEST(MakeReport, TheSlicePaysForAllOfItsChips) {
  SliceExample example;
  // 8 USD an hour for the four chips of a v3-8, though two of them are used.
  const Report report = makeReport(example.program, example.stats, *Target::load("v3-8"));
  EXPECT_EQ(report.chips, 4);
  EXPECT_DOUBLE_EQ(report.usd, 1000 / 940e6 / 3600 * 8.0);
  EXPECT_DOUBLE_EQ(report.usdPreemptible, 1000 / 940e6 / 3600 * 2.4);
}

// 14 MB take 200 us at 70 GB/s.
TEST(MakeReport, BoundsTheBusiestLinkAtEachRate) {
  SliceExample example;
  const Report v3 = makeReport(example.program, example.stats, *Target::load("v3-8"));
  std::vector<std::pair<double, int64_t>> bounds;
  for (const LinkBound &bound : v3.slice.linkBounds) {
    bounds.push_back({bound.gbPerSecond, bound.cycles});
    EXPECT_DOUBLE_EQ(bound.seconds, 14e6 / bound.gbPerSecond / 1e9);
    EXPECT_FALSE(bound.source.empty());
  }
  // 188,000 cycles x 70 / 82, / 83 and / 100.
  EXPECT_THAT(bounds, testing::ElementsAre(std::pair(70, 188'000), std::pair(82, 160'488),
                                           std::pair(83, 158'555), std::pair(100, 131'600)));
  // Of v2 there is one.
  const Report v2 = makeReport(example.program, example.stats, *Target::load("v2-8"));
  ASSERT_EQ(v2.slice.linkBounds.size(), 1u);
  EXPECT_EQ(v2.slice.linkBounds[0].gbPerSecond, 62);
}

TEST(MakeReport, OneCoreHasNoSlice) {
  Example example;
  const Report report = makeReport(example.program, example.stats, *Target::load("v3-8"));
  EXPECT_TRUE(report.slice.cores.empty());
  EXPECT_TRUE(report.slice.links.empty());
  EXPECT_FALSE(toJson(report).getObject("slice"));
}

TEST(MakeReport, SlicesAsTextAndJson) {
  SliceExample example;
  const Report report = makeReport(example.program, example.stats, *Target::load("v3-8"));
  const std::string text = toText(report);
  using testing::ContainsRegex;
  using testing::HasSubstr;
  EXPECT_THAT(text, HasSubstr("target            v3-8 (4 of 8 cores), description "));
  EXPECT_THAT(text, HasSubstr("collectives       25.0% of the cycles of all cores, 21 MB sent "
                              "between cores\n"));
  EXPECT_THAT(text, HasSubstr("busiest link      chip 1 -y, 14 MB, busy 50.0% of the time\n"));
  EXPECT_THAT(text, HasSubstr("needs at least    200 us at 70 GB/s, 170.7 us at 82 GB/s, 168.7 us "
                              "at 83 GB/s, 140 us at 100 GB/s\n"));
  EXPECT_THAT(text, HasSubstr("2.048 kB VMEM of each core\n"));
  EXPECT_THAT(text, HasSubstr("(4 chips)\n"));
  EXPECT_THAT(text, ContainsRegex("\nbusiest link  +188,000 "));
  EXPECT_THAT(text, ContainsRegex("\n2 +6 +3 +800 +80.0%"));
  EXPECT_THAT(text, ContainsRegex("\nall_reduce.1 +8 +1,000 +25.0% +90.0% +21 MB"));
  EXPECT_THAT(text, ContainsRegex("\nchip 1 -y +14 MB +500 +50.0%"));
  const llvm::json::Object json = toJson(report);
  EXPECT_EQ(json.getInteger("target_cores"), 8);
  const llvm::json::Object &slice = *json.getObject("slice");
  EXPECT_EQ(slice.getInteger("collective_cycles"), 1000);
  EXPECT_EQ(slice.getNumber("collective_share"), 0.25);
  EXPECT_EQ(slice.getInteger("sent_bytes"), 21'000'000);
  EXPECT_EQ((*slice.getArray("cores"))[3].getAsObject()->getInteger("place"), 7);
  EXPECT_EQ((*slice.getArray("links"))[1].getAsObject()->getNumber("utilization"), 0.5);
  EXPECT_EQ((*slice.getArray("link_bounds"))[3].getAsObject()->getInteger("cycles"), 131'600);
}

TEST(MakeReport, AbsurdFlopsDoNotOverflow) {
  Example example;
  example.program.header.mutable_kernels(0)->set_flops(INT64_MAX);
  example.stats.kernels[1] = example.stats.kernels[0];
  example.program.header.mutable_kernels(1)->set_flops(INT64_MAX);
  example.program.header.mutable_kernels(1)->set_name("another");
  Report report = makeReport(example.program, example.stats, *Target::load("v3"));
  EXPECT_GT(report.flops, 0);
}

} // namespace
} // namespace systole
