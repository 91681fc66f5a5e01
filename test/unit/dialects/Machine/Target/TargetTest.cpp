// Target descriptions: the built-in ones, files, slices, prices, errors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Target/Target.h"

#include <sys/stat.h>

#include <cstdio>
#include <fstream>

#include "dialects/Machine/Target/Builtin.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace systole;
using testing::HasSubstr;

namespace {

std::string v2Text() {
  for (const BuiltinTarget &target : builtinTargets())
    if (target.name == "v2")
      return std::string(target.text);
  return "";
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// The error of parsing the text; the test fails if there is none.
std::string errorOf(const std::string &text) {
  absl::StatusOr<Target> target = Target::parse(text, "mine.textproto");
  EXPECT_FALSE(target.ok());
  EXPECT_EQ(target.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(target.status().message());
}

TEST(Target, BuiltinsHaveThePublishedConstants) {
  EXPECT_THAT(listTargets(), testing::ElementsAre("v2", "v3", "v4", "v5e", "v6e"));
  Target v2 = *Target::load("v2"), v3 = *Target::load("v3");
  EXPECT_EQ(v2.clockHz(), 700e6);
  EXPECT_EQ(v3.clockHz(), 940e6);
  EXPECT_EQ(v2.mxusPerCore(), 1);
  EXPECT_EQ(v3.mxusPerCore(), 2);
  for (const Target &t : {v2, v3}) {
    EXPECT_EQ(t.vmemRows(), 32768); // 16 MiB of 512-byte rows
    EXPECT_EQ(t.smemWords(), 4096); // 16 KiB
    EXPECT_EQ(t.description().dma_dimensions().value(), 2);
  }
  EXPECT_EQ(v2.hbmRows(), (8LL << 30) / 512);
  EXPECT_EQ(v3.hbmRows(), (16LL << 30) / 512);
  // 716 GB/s over two cores at 700 MHz; 900 over two at 940.
  EXPECT_NEAR(v2.hbmBytesPerCycle(), 511.4286, 1e-4);
  EXPECT_NEAR(v3.hbmBytesPerCycle(), 478.7234, 1e-4);
  // Peak of a chip: 46 and 123 TFLOPS.
  EXPECT_NEAR(v2.peakFlopsPerCycle() * v2.clockHz() * 2 / 1e12, 46, 0.5);
  EXPECT_NEAR(v3.peakFlopsPerCycle() * v3.clockHz() * 2 / 1e12, 123, 0.5);
}

TEST(Target, LaterMachinesHaveThePublishedPeaks) {
  struct {
    const char *name;
    double tflops, gbPerSecond;
    int mxus, size, smemBytes;
    int64_t vmemBytes;
  } published[] = {{"v4", 275, 1200, 4, 128, 1 << 20, 16 << 20},
                   {"v5e", 197, 819, 4, 128, 1 << 20, 128 << 20},
                   {"v6e", 918, 1638, 2, 256, 1 << 20, 128 << 20}};
  for (const auto &p : published) {
    Target t = *Target::load(p.name);
    const double cores = t.description().cores_per_chip().value();
    EXPECT_NEAR(t.peakFlopsPerCycle() * t.clockHz() * cores / 1e12, p.tflops, 0.5) << p.name;
    EXPECT_NEAR(t.hbmBytesPerCycle() * t.clockHz() * cores / 1e9, p.gbPerSecond, 1e-6) << p.name;
    EXPECT_EQ(t.mxusPerCore(), p.mxus) << p.name;
    EXPECT_EQ(t.mxuSize(), p.size) << p.name;
    EXPECT_EQ(t.smemWords(), p.smemBytes / 4) << p.name;
    EXPECT_EQ(t.vmemRows(), p.vmemBytes / 512) << p.name;
    EXPECT_EQ(t.description().dma_dimensions().value(), 4) << p.name;
    EXPECT_EQ(t.hasFeature("bf16_valu"), std::string(p.name) == "v6e");
  }
}

// At the peak each MXU takes eight rows an interval, and in steps of 32 row groups, the most that
// code generation overlaps, the weights of the next step meanwhile.
TEST(Target, SlotsFeedAllMxus) {
  for (const std::string &name : listTargets()) {
    Target t = *Target::load(name);
    const isa::BundleFormat slots = t.bundleFormat();
    const int tiles = t.mxuSize() / 128, groups = 32;
    const int cycles = groups * t.interval(isa::LatencyClass::mxu_push);
    const int latches = 16 * tiles * tiles, swaps = 1;
    EXPECT_LE(latches * t.interval(isa::LatencyClass::mxu_latch), cycles) << name;
    EXPECT_LE(t.mxusPerCore() * (groups + latches + swaps), cycles * slots.count(isa::Slot::Push))
        << name;
    EXPECT_LE(t.mxusPerCore() * groups * tiles * tiles, cycles * slots.count(isa::Slot::Pop))
        << name;
    // Rows for all MXUs, weights and sums of each.
    EXPECT_LE(groups * tiles + t.mxusPerCore() * (latches + groups * tiles),
              cycles * slots.count(isa::Slot::Load))
        << name;
    EXPECT_LE(t.mxusPerCore() * groups * tiles, cycles * slots.count(isa::Slot::Store)) << name;
  }
}

TEST(Target, FifosCoverTheirUnitsLatency) {
  for (const std::string &name : listTargets()) {
    Target t = *Target::load(name);
    Limits limits = t.limits();
    auto covers = [&](int depth, isa::LatencyClass c) {
      return depth > (t.latency(c) + t.interval(c) - 1) / t.interval(c);
    };
    const int tiles = limits.mxuSize / 128;
    EXPECT_TRUE(covers(limits.mxuFifoDepth / (tiles * tiles), isa::LatencyClass::mxu_push)) << name;
    EXPECT_TRUE(covers(limits.eupFifoDepth, isa::LatencyClass::eup)) << name;
    EXPECT_TRUE(covers(limits.xluFifoDepth, isa::LatencyClass::xlu_rotate)) << name;
    EXPECT_TRUE(covers(limits.xluFifoDepth, isa::LatencyClass::xlu_reduce)) << name;
  }
}

TEST(Target, LimitsCarryEveryLatency) {
  Target t = *Target::load("v3");
  Limits limits = t.limits();
  EXPECT_EQ(limits.mxus, 2);
  EXPECT_EQ(limits.mxuSize, 128);
  EXPECT_EQ(limits.bundle, isa::BundleFormat());
  EXPECT_EQ(limits.vmemRows, 32768);
  EXPECT_EQ(limits.instructionMemoryBundles, 16384);
  for (size_t i = 0; i < limits.latencies.size(); ++i) {
    EXPECT_EQ(limits.latencies[i].cycles, t.latency(isa::LatencyClass(i)));
    EXPECT_EQ(limits.latencies[i].interval, t.interval(isa::LatencyClass(i)));
  }
}

TEST(Target, SlicesChargeWholeChips) {
  Target one = *Target::load("v3"), eight = *Target::load("v3-8"), three = *Target::load("v3-3");
  EXPECT_EQ(one.name(), "v3");
  EXPECT_EQ(eight.name(), "v3-8");
  EXPECT_EQ(one.chips(), 1);
  EXPECT_EQ(three.chips(), 2);
  EXPECT_EQ(eight.chips(), 4);
  EXPECT_EQ(one.hash(), eight.hash());
  // Prices of slices of four chips, per hour.
  EXPECT_DOUBLE_EQ(*eight.usd(3600, "on-demand"), 8.00);
  EXPECT_DOUBLE_EQ(*eight.usd(3600, "preemptible"), 2.40);
  EXPECT_DOUBLE_EQ(*Target::load("v2-8")->usd(3600, "on-demand"), 4.50);
  EXPECT_DOUBLE_EQ(*Target::load("v2-8")->usd(1800, "preemptible"), 1.35 / 2);
  EXPECT_DOUBLE_EQ(*one.usd(3600, "on-demand"), 2.00);
  EXPECT_EQ(one.usd(1, "free").status().code(), absl::StatusCode::kNotFound);
  EXPECT_DOUBLE_EQ(one.seconds(940e6), 1.0);
}

TEST(Target, UnknownNamesAndCounts) {
  absl::Status status = Target::load("v99").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("(v2, v3, v4, v5e, v6e, "));
  for (const char *name : {"v3-0", "v3-x", "v3-", "v3-99999"})
    EXPECT_EQ(Target::load(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
}

TEST(Target, OwnFile) {
  std::string path = testing::TempDir() + "/own-target.textproto";
  std::ofstream(path) << replaced(replaced(v2Text(), "name: \"v2\"", "name: \"mine\""),
                                  "value: 700 ", "value: 350 ");
  absl::StatusOr<Target> target = Target::load(path);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->name(), "mine");
  EXPECT_EQ(target->clockHz(), 350e6);
  EXPECT_NEAR(target->hbmBytesPerCycle(), 2 * 511.4286, 1e-3);
  EXPECT_NE(target->hash(), Target::load("v2")->hash());

  EXPECT_EQ(target->cores(), 1);
  absl::StatusOr<Target> slice = Target::load(path + "-8");
  ASSERT_TRUE(slice.ok()) << slice.status();
  EXPECT_EQ(slice->name(), "mine-8");
  EXPECT_EQ(slice->hash(), target->hash());
  for (const char *end : {"-0", "-x", "-"})
    EXPECT_EQ(Target::load(path + end).status().code(), absl::StatusCode::kNotFound) << end;
}

TEST(Target, OtherFilesThanRegularOnesAreRefused) {
  const std::string pipe = testing::TempDir() + "/target-pipe";
  std::remove(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string &path : {pipe, testing::TempDir()})
    EXPECT_EQ(Target::load(path).status(),
              absl::InvalidArgumentError(path + ": not a regular file"));
  std::remove(pipe.c_str());
}

TEST(Target, HashIsOfValuesNotOfSpelling) {
  std::string hash = Target::load("v2")->hash();
  EXPECT_EQ(hash.size(), 64u);
  std::string respelled = replaced("# another comment\n" + v2Text(), "value: 700 ", "value: 7e2 ");
  EXPECT_EQ(Target::parse(respelled, "x")->hash(), hash);
  EXPECT_NE(Target::parse(replaced(v2Text(), "cycles: 136", "cycles: 137"), "x")->hash(), hash);
}

TEST(Target, ErrorsNameTheField) {
  EXPECT_THAT(errorOf("name: \"x\"\nclock_mhz { valu: 1 }"), HasSubstr("mine.textproto:2:"));
  EXPECT_THAT(errorOf(""), HasSubstr("name: it is empty"));
  EXPECT_THAT(errorOf("name: \"x\""), HasSubstr("clock_mhz: this constant is missing"));
  EXPECT_THAT(errorOf(replaced(v2Text(), "value: 700 unit: \"MHz\"", "value: 0.7 unit: \"GHz\"")),
              HasSubstr("clock_mhz: the unit is \"MHz\", not \"GHz\""));
  EXPECT_THAT(errorOf(replaced(v2Text(), "mxu_size { value: 128", "mxu_size { value: 192")),
              HasSubstr("mxu_size: value 192 is not 128 or 256"));
  EXPECT_THAT(errorOf(replaced(v2Text(), "push_slots { value: 1", "push_slots { value: 5")),
              HasSubstr("push_slots: value 5 is not between 1 and 4"));
  std::string broad = replaced(v2Text(), "vector_slots { value: 2", "vector_slots { value: 8");
  broad = replaced(broad, "load_slots { value: 1", "load_slots { value: 4");
  EXPECT_TRUE(Target::parse(broad, "x").ok());
  // 16 + 2 * 32 + 8 * 40 + 4 * 64 + 64 + 4 * 64 + 32 + 4 * 32 = 1136 bits.
  EXPECT_THAT(errorOf(replaced(broad, "push_slots { value: 1", "push_slots { value: 4")),
              HasSubstr("a bundle with 144 bytes"));
  EXPECT_THAT(errorOf(replaced(v2Text(), "value: 700 ", "value: nan ")),
              HasSubstr("clock_mhz: value nan"));
  EXPECT_THAT(errorOf(replaced(v2Text(), "value: 700 ", "value: -700 ")),
              HasSubstr("clock_mhz: value -700"));
  EXPECT_THAT(errorOf(replaced(v2Text(), "loop_depth { value: 8 ", "loop_depth { value: 8.5 ")),
              HasSubstr("loop_depth: value 8.5 is not a whole number"));
  EXPECT_THAT(errorOf(replaced(v2Text(), "unit: \"MHz\" confidence: PUBLISHED", "unit: \"MHz\" ")),
              HasSubstr("clock_mhz: no confidence"));
  EXPECT_THAT(errorOf(replaced(v2Text(), "latency_class: \"eup_long\"", "latency_class: \"eup\"")),
              HasSubstr("latencies \"eup\": given twice"));
  EXPECT_THAT(errorOf(replaced(v2Text(), "latency_class: \"eup_long\"", "latency_class: \"fpu\"")),
              HasSubstr("latencies \"fpu\": there is no such latency class"));
  EXPECT_THAT(errorOf(replaced(v2Text(), "cycles: 136", "cycles: 0")),
              HasSubstr("latencies \"mxu_push\": cycles 0"));
  EXPECT_THAT(errorOf(replaced(v2Text(), "name: \"preemptible\"", "name: \"on-demand\"")),
              HasSubstr("prices \"on-demand\""));
}

} // namespace
